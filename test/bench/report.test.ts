import { describe, expect, it } from 'vitest'
import { ratioChart, scaleChart } from '../../bench/charts.mjs'
import { badChoices, bestPeer, table } from '../../bench/report.mjs'
import { readResults, resultFiles } from '../../bench/results.mjs'

const row = (workload: string, contender: string, ns: number) => ({
  workload,
  contender,
  ns,
  madNs: ns / 100,
  mbPerS: 1e3 / ns,
  heapBytes: 10,
  arrayBufferBytes: 0,
})
const report = {
  format: 'toy',
  cpu: 'a processor',
  cores: 2,
  memoryGiB: 4,
  platform: 'linux x64',
  node: 'v20.0.0',
  date: '2026-01-02T03:04:05Z',
  commit: 'abc',
  versions: { peer: '1.2.3' },
  natives: ['peer-c'],
  missing: [{ workload: 'read', contender: 'peer-c', why: 'no compiler' }],
  workloads: [{ id: 'read', about: 'reads' }],
  rows: [
    row('read', 'peer', 400),
    row('read', 'slow-peer', 900),
    row('read', 'peer-c', 50),
    row('read', 'wiretape-wasm', 100),
    row('read', 'wiretape-js', 500),
    row('read', 'wiretape', 100),
  ],
}

type Pair = [string, string]

describe('the report', () => {
  it('reads wiretape against the fastest peer in JavaScript, a slower row like any other', () => {
    expect(bestPeer(report.rows, 'read', report.natives)?.contender).toBe('peer')
    const text = table(report)
    expect(text).toMatch(/wiretape-wasm .* 4\.00× peer/)
    expect(text).toMatch(/wiretape-js .* 0\.80× peer/)
    expect(text).toContain('a processor, 2 cores, 4 GiB, linux x64, Node v20.0.0, 2026-01-02, commit abc')
  })

  it('says where the choice of backend costs more than a tenth', () => {
    expect(badChoices(report.rows)).toEqual([])
    const worse = report.rows.map((one) => (one.contender === 'wiretape' ? { ...one, ns: 111 } : one))
    expect(badChoices(worse)).toEqual(['read: wiretape takes 1.11× the time of wiretape-wasm'])
  })

  it('has a section for each format, with versions and what was missing', () => {
    const [[name, text], [all, overview], [chart, svg]] = resultFiles([report]) as [Pair, Pair, Pair]
    expect(name).toBe('RESULTS.md')
    expect(text).toContain('## toy')
    expect(text).toContain('peer 1.2.3')
    expect(text).toContain('read: peer-c was missing: no compiler')
    expect(all).toBe('charts/overview.svg')
    expect(overview).toContain('4.0×')
    expect(chart).toBe('charts/toy.svg')
    expect(svg).toMatch(/^<svg/)
    // Every quote opens or closes an attribute.
    expect(svg.replace(/ [\w:-]+="[^"<>]*"/g, '')).not.toContain('"')
    expect(svg).toContain('4.0×')
    expect(svg).toContain('0.80×')
  })

  it('draws the same chart each time', () => {
    expect(ratioChart(report)).toBe(ratioChart(report))
    const line = { id: 'bytes', points: [10, 100, 1000].map((size) => ({ size, ns: size })) }
    expect(scaleChart('toy', 'wasm', [line])).toBe(scaleChart('toy', 'wasm', [line]))
  })

  it('holds figures of every format', () => {
    const measured = readResults()
    expect(measured.map(({ format }) => format)).toEqual(['dbus', 'hds', 'hpack', 'katcp', 'websocket'])
    for (const { rows } of measured) expect(rows.length).toBeGreaterThan(0)
  })
})
