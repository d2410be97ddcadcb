import { type Side, scriptSide, wasmSide } from '../lib/side'
import type { KernelTarget } from './kernels/target'

/** Poison of each side. Where an input happens to hold the poison of one, that is not told from what stood there; not with both sets. */
const POISONS = [
  [0xa5, 0x5a, 0x99, 0x3c],
  [0xb7, 0x6d, 0xd3, 0x2e],
] as const

/** The oracle of the kernels: all sides say the same, although what stands around the input differs. What is wrong, if anything. */
export function disagreement(target: KernelTarget, sides: readonly Side[], input: Uint8Array): string | undefined {
  let what: string | undefined
  for (const poisons of POISONS) {
    what = compare(target, sides, input, poisons)
    if (what === undefined) break
  }
  return what
}

function compare(
  target: KernelTarget,
  sides: readonly Side[],
  input: Uint8Array,
  poisons: readonly number[],
): string | undefined {
  let wanted: string | undefined
  for (const [i, side] of sides.entries()) {
    side.poison = poisons[i]!
    let told: string
    try {
      told = JSON.stringify(target.run(side, input)) ?? ''
    } catch (error) {
      return `${side.name}: ${error instanceof Error ? error.message : String(error)}`
    }
    if (wanted === undefined) wanted = told
    else if (told !== wanted) return `${side.name} differs from ${sides[0]!.name}`
  }
  return undefined
}

/** The module that ships, twice, since its poison differs, and the JavaScript kernels. */
export const shippedSides = (): readonly Side[] => [wasmSide(), scriptSide(), wasmSide()]
