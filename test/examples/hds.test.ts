import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { pattern } from '../hds/words'
import { fromHex, toHex } from '../vectors'

interface Camera {
  readonly port: number
  close(): void
}
interface Example {
  startCamera(options: object): Promise<Camera>
  fetchRecording(options: object): Promise<Uint8Array[]>
}
const load = <T>(path: string) =>
  import(/* @vite-ignore */ new URL(`../../examples/${path}`, import.meta.url).href) as Promise<T>

const keys = { accessoryToController: pattern(1, 32), controllerToAccessory: pattern(2, 32) }
const fragments = [pattern(1, 900), pattern(2, 300_000), pattern(3, 0), pattern(4, 70_000)]

describe('the example camera', () => {
  it('hands a recording over, as fragments that are there and as they come', async () => {
    const { startCamera, fetchRecording } = await load<Example>('hds/camera.mjs')
    async function* slowly() {
      for (const fragment of fragments) {
        await new Promise((resolve) => setTimeout(resolve, 2))
        yield fragment
      }
    }
    for (const record of [() => fragments, slowly]) {
      const camera = await startCamera({ keys, record })
      const received = await fetchRecording({ port: camera.port, keys })
      camera.close()
      const expected = record === slowly ? [...fragments, new Uint8Array(0)] : fragments
      expect(received.map((fragment) => fragment.length)).toEqual(expected.map((fragment) => fragment.length))
      for (const [i, fragment] of received.entries()) expect(Buffer.compare(fragment, expected[i]!)).toBe(0)
    }
  })

  it('refuses other streams and other keys', async () => {
    const { startCamera, fetchRecording } = await load<Example>('hds/camera.mjs')
    const camera = await startCamera({ keys, record: () => fragments })
    await expect(fetchRecording({ port: camera.port, keys, type: 'audio.siri' })).rejects.toThrow('status 6, reason 4')
    const others = { accessoryToController: pattern(5, 32), controllerToAccessory: pattern(6, 32) }
    expect(await fetchRecording({ port: camera.port, keys: others }).catch(() => [])).toEqual([])
    camera.close()
  })

  it('runs as a program', () => {
    const printed = execFileSync(process.execPath, ['examples/hds/camera.mjs'], { encoding: 'utf8' })
    expect(printed).toBe('initialization 1200\nfragment 1 600000\nfragment 2 300000\n')
  })
})

describe('the example exchange', () => {
  it('answers with the width that it was asked with', async () => {
    const { answer } = await load<{ answer(bytes: Uint8Array, content: object): Uint8Array }>('opack/exchange.mjs')
    for (const number of ['0f', '3007', '310700', '3207000000', '330700000000000000']) {
      const request = fromHex(`e2425f6941 61425f78${number}`.replaceAll(' ', ''))
      expect(toHex(answer(request, {}))).toContain(`425f78${number}`)
    }
    const printed = execFileSync(process.execPath, ['examples/opack/exchange.mjs'], { encoding: 'utf8' })
    expect(printed.split('\n')[0]).toContain('446e616d65a')
  })
})
