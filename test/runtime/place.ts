import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { FORMATS } from './cases'
import { REPORTS, type Report } from './table'

export interface Row {
  readonly format: string
  readonly backend: string
  readonly name: string
  readonly ok: boolean
  readonly count: number
  readonly error?: string
}

/** What suite/smoke.mjs returns. */
export interface Outcome {
  readonly backend: string
  readonly reason?: string
  readonly rows: readonly Row[]
}

/** A place where the packed tarball is run. */
export interface Place {
  readonly name: string
  /** What has to be there for it, undefined where it is not. */
  readonly needs?: readonly (readonly [what: string, found: string | undefined])[]
  /** Which backend has to answer; where it is 'js' although WebAssembly was wanted, `reason` says what backendReason() must tell. */
  readonly answers?: 'wasm' | 'js'
  readonly reason?: RegExp
  /** The build without a choice of backend, and without `wiretape` itself. */
  readonly scriptOnly?: boolean
  /** Runs the suite there, on the backends given, and returns what it returned. `project` is the folder that has the tarball installed. */
  run(project: string, options: { readonly backends: readonly string[] }): Promise<Outcome>
}

/** Tests of one place: each format on each backend, and `wiretape` itself. */
export function inPlace(place: Place): void {
  const { name, needs = [], reason, scriptOnly = false } = place
  const answers = scriptOnly ? 'js' : (place.answers ?? 'wasm')
  const missing = needs.filter(([, found]) => found === undefined).map(([what]) => what)
  const backends = scriptOnly ? ['js'] : answers === 'wasm' ? ['wasm', 'js'] : ['auto', 'js']
  const report = (outcome: Outcome | undefined, absent?: string) => {
    mkdirSync(REPORTS, { recursive: true })
    const text: Report = { name, absent, backend: outcome?.backend, reason: outcome?.reason, rows: outcome?.rows ?? [] }
    writeFileSync(join(REPORTS, `${name.replace(/\W+/g, '-')}.json`), JSON.stringify(text))
  }

  if (missing.length > 0) {
    it(`NOT RUN: ${name} needs ${missing.join(', ')}, \`npm run setup:runtimes\` installs it`, () => {
      report(undefined, `needs ${missing.join(', ')}`)
      if (process.env['REQUIRE_PEERS'] === '1') throw new Error(`there is no ${missing.join(', ')}`)
    })
    return
  }

  describe(name, () => {
    let outcome: Outcome | undefined
    let fault: unknown
    beforeAll(async () => {
      try {
        outcome = await place.run(inject('project'), { backends })
      } catch (error) {
        fault = error
      }
    })
    afterAll(() => report(outcome, fault === undefined ? undefined : String(fault).split('\n')[0]))

    const rowsOf = (format: string, backend?: string) => {
      if (!outcome) throw fault
      return outcome.rows.filter((row) => row.format === format && (!backend || row.backend === backend))
    }

    it(`is answered by ${answers === 'wasm' ? 'WebAssembly' : 'JavaScript'}`, () => {
      if (!outcome) throw fault
      expect(outcome.backend).toBe(answers)
      if (reason) expect(outcome.reason).toMatch(reason)
      else expect(outcome.reason).toBeUndefined()
    })

    for (const format of FORMATS) {
      it.each(backends)(`${format} on %s`, (backend) => {
        const rows = rowsOf(format, backend)
        expect(rows.filter(({ ok }) => !ok).map(({ name, error }) => `${name}: ${error}`)).toEqual([])
        expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(inject('counts')[format])
      })
    }

    if (scriptOnly) return
    it('wiretape itself: choice of backend, initCore', () => {
      const rows = rowsOf('core')
      expect(rows.filter(({ ok }) => !ok).map(({ name, error }) => `${name}: ${error}`)).toEqual([])
      expect(rows.length).toBeGreaterThanOrEqual(4)
    })
  })
}
