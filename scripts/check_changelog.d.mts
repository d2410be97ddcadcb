export function changelogFaults(
  text: string,
  release?: { readonly tag: string; readonly version: string } | undefined,
): string[]
