export const formats: readonly string[]
export const subpaths: readonly string[]
export const scriptOnly: readonly string[]
export function filesBelow(dir: string, suffix?: string): string[]
