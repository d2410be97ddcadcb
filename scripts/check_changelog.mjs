// CHANGELOG.md is what users read, so it must be ready when a version is: an `Unreleased` section on top for what is to come, below it
// versions in falling order, each with its date. `--release v1.2.3`: that version is the one of package.json and has its section.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const SECTION = /^## (?:(Unreleased)|(\d+)\.(\d+)\.(\d+) — \d{4}-\d\d-\d\d)$/

/** What is wrong with the text of a changelog. `release`: `{ tag, version }` of the release to be made, or undefined. */
export function changelogFaults(text, release) {
  const faults = []
  const sections = text.split(/^(?=## )/m).slice(1)
  let before = [Number.POSITIVE_INFINITY]
  sections.forEach((section, i) => {
    const [heading] = section.split('\n')
    const match = SECTION.exec(heading)
    if (!match) faults.push(`"${heading}" is neither "## Unreleased" nor "## 1.2.3 — 2026-01-31"`)
    else if ((match[1] !== undefined) !== (i === 0))
      faults.push(`"${heading}": Unreleased, and nothing else, stands first`)
    else if (match[1] === undefined) {
      const version = match.slice(2).map(Number)
      if (!isBelow(version, before)) faults.push(`"${heading}" is not older than what stands above it`)
      if (!/^- /m.test(section)) faults.push(`"${heading}" says nothing`)
      before = version
    }
  })
  if (sections.length === 0) faults.push('there is no section')
  if (release) {
    if (release.tag !== `v${release.version}`) faults.push(`the tag ${release.tag} is not version ${release.version}`)
    if (!sections.some((section) => section.startsWith(`## ${release.version} — `))) {
      faults.push(`version ${release.version} has no section`)
    }
    if (/^- /m.test(sections[0] ?? '')) faults.push('what stands under Unreleased belongs to this version')
  }
  return faults
}

function isBelow(version, other) {
  const at = version.findIndex((part, i) => part !== other[i])
  return at >= 0 && version[at] < other[at]
}

export const checkChangelog = (release) => changelogFaults(readFileSync('CHANGELOG.md', 'utf8'), release)

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [flag, tag] = process.argv.slice(2)
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const faults = checkChangelog(flag === '--release' ? { tag, version } : undefined)
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
}
