export function checkText(file: string, text: string): string[]
export function checkPortable(): string[]
