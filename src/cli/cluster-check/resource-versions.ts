import { dumpItems, dumpMembers, dumpText } from '../dump/json-access.ts'

/** Versions of resources by name: what the controller publishes, or what a proxy has. */
export type ResourceVersions = ReadonlyMap<string, string>

/** Reads a list of `{ name, version }`. */
export const resourceVersions = (list: unknown): ResourceVersions =>
  new Map(
    dumpItems(list).map((one) => {
      const { name, version } = dumpMembers(one)
      return [dumpText(name), dumpText(version)]
    }),
  )

/** How one set differs from another. */
export interface VersionDifference {
  /** Names that the first has, and the second has in another version or not at all. */
  readonly outdated: readonly string[]
  /** Names that the second has, and the first has not. */
  readonly surplus: readonly string[]
}

/** What a proxy lacks of what it should have, and has beyond. Versions are equal for equal contents. */
export const versionDifference = (wanted: ResourceVersions, found: ResourceVersions): VersionDifference => ({
  outdated: [...wanted].filter(([name, version]) => found.get(name) !== version).map(([name]) => name),
  surplus: [...found.keys()].filter((name) => !wanted.has(name)),
})

/** Whether there is no difference. */
export const isEqual = ({ outdated, surplus }: VersionDifference): boolean =>
  outdated.length + surplus.length === 0

/** `2 resources are missing or old (route/…, …), 1 should be gone (…)`. */
export const differenceText = ({ outdated, surplus }: VersionDifference): string =>
  [
    ...(outdated.length > 0 ? [`${resources(outdated)} missing or old (${examples(outdated)})`] : []),
    ...(surplus.length > 0 ? [`${resources(surplus)} to be removed (${examples(surplus)})`] : []),
  ].join(', ')

const resources = ({ length }: readonly string[]): string =>
  length === 1 ? '1 resource' : `${String(length)} resources`

const EXAMPLES = 3

const examples = (names: readonly string[]): string =>
  `${names.slice(0, EXAMPLES).join(', ')}${names.length > EXAMPLES ? ', …' : ''}`
