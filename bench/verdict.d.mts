export interface Round {
  readonly base: number
  readonly again: number
  readonly head: number
}
export interface Point {
  readonly size: number
  readonly ns: number
}
export const ALLOWED: number
export function verdictOf(rounds: readonly Round[]): { change: number; noise: number; slower: boolean }
export function steepest(points: readonly Point[]): number
export function overall(points: readonly Point[], decades?: number): number
export function grown(values: readonly number[]): number
