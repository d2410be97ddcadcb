// docs/disagreements.md, from the figures and the explanations.
import { readFileSync } from 'node:fs'
import { explanations } from './explanations.mjs'

const INTRODUCTION = [
  'Written from what `npm run differential -- --write` has counted. wiretape and each peer are given the same bytes: the vectors of `test/vectors` as',
  'they are, then mutations of them. What they make of them is compared as a whole: every value, or that it is refused. A difference that',
  'no explanation below holds for makes the run fail; CI runs a part of it.',
]

export function disagreementsPage(note) {
  const results = JSON.parse(readFileSync(new URL('results.json', import.meta.url), 'utf8'))
  const page = ['# Where peers disagree', '', `<!-- ${note} -->`, '', ...INTRODUCTION, '']
  page.push(
    '| peer | inputs | accepted by wiretape | refused | explained differences |',
    '| --- | ---: | ---: | ---: | ---: |',
  )
  const number = (value) => value.toLocaleString('en')
  for (const { peer, version, inputs, accepted, refused, explained } of results) {
    const differences = Object.values(explained).reduce((sum, times) => sum + times, 0)
    page.push(
      `| ${peer} ${version} | ${number(inputs)} | ${number(accepted)} | ${number(refused)} | ${number(differences)} |`,
    )
  }
  page.push('')
  for (const { peer, explained } of results) {
    const own = explanations.filter(({ id }) => explained[id])
    page.push(`## ${peer}`, '')
    if (own.length === 0) page.push('No difference.', '')
    else page.push(...own.map(({ id, says }) => `- **${id}** (${number(explained[id])} times). ${says}`), '')
  }
  return page.join('\n')
}
