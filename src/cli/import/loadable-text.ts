import { readFileSync } from 'node:fs'
import { isAlias, isMap, isSeq, type Node, Scalar, type YAMLMap, type YAMLSeq } from 'yaml'
import type { Position } from '../../config/document/document.ts'
import { segments } from '../../config/document/json-pointer.ts'
import { FilesOnce } from '../../config/document/referenced-files.ts'
import { ConfigError, type ConfigProblem } from '../../config/errors.ts'
import { parseConfig } from '../../config/parse.ts'
import { CommandFailure } from '../command-failure.ts'
import type { ImportedDocument } from './config-document.ts'
import { denyEverything } from './config-text.ts'
import type { ImportReport } from './import-report.ts'

/**
 * The text of an imported configuration, as the gateway accepts it: what it refuses is removed and reported. Where that
 * restricted access, requests are denied instead.
 *
 * @throws {CommandFailure} if nothing would be left.
 */
export const loadableText = (imported: ImportedDocument, report: ImportReport): string => {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const text = imported.document.toString({ lineWidth: 0, singleQuote: true })
    const problems = problemsOf(text, report)
    if (problems.length === 0) return text
    const removed: string[] = []
    for (const problem of problems.toSorted(laterFirst)) {
      if (removed.some((one) => `${problem.pointer}/`.startsWith(`${one}/`))) continue
      removed.push(remove(imported, problem, report))
    }
  }
  throw new CommandFailure(`${report.file} has nothing that this gateway can load`, {
    hint: 'The list above has what it does not accept.',
  })
}

/** Each round removes at least one value. */
const MAX_ROUNDS = 500

/** What the gateway refuses. Files that are not on this machine are reported, and are no reason to refuse. */
const problemsOf = (text: string, report: ImportReport): readonly ConfigProblem[] => {
  const missing = new Set<string>()
  const files = new FilesOnce((path) => {
    try {
      return { text: readFileSync(path, 'utf8') }
    } catch {
      missing.add(path)
      return { problem: 'is not on this machine' }
    }
  })
  try {
    parseConfig(text, report.file, placeholders(text), files)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const isMissing = ({ expectation }: ConfigProblem): boolean =>
      expectation.includes('is not on this machine')
    // A variable may have the name of a setting of the process: its placeholder is no value of the file.
    const problems = error.problems.filter(({ file }) => file === report.file)
    if (problems.every(isMissing))
      for (const path of missing)
        report.changed(
          { line: 1, column: 1 },
          path,
          'the file is not on this machine',
          'copy it to where the gateway runs: it does not start without it',
        )
    return problems.filter((problem) => !isMissing(problem))
  }
}

/** Values for variables that are set where the gateway runs. */
const placeholders = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/\$\{?([A-Z_][A-Z0-9_]*)(?!\w*:-)/g)].map(([, name]) => [
      String(name),
      'placeholder-0123456789',
    ]),
  )

const laterFirst = (a: ConfigProblem, b: ConfigProblem): number =>
  b.pointer.localeCompare(a.pointer, 'en', { numeric: true })

/** Policies that decide who may do what. */
const ACCESS = new Set(
  'authorization networkAuthorization networkExtAuthz basicAuth apiKey jwtAuth extAuthz oidc mcpAuthentication mcpAuthorization'.split(
    ' ',
  ),
)

/** Fields that select the requests to which the entry that has them applies. */
const CONDITIONS = new Set([
  'matches',
  'hostnames',
  'hostname',
  'gateways',
  'condition',
  'when',
  'precondition',
])

/** Removes the value of a problem; returns the pointer of what was removed. */
const remove = (imported: ImportedDocument, problem: ConfigProblem, report: ImportReport): string => {
  const { document } = imported
  const path = [...segments(problem.pointer)]
  const access = path.findIndex((name) => ACCESS.has(name))
  // Without its condition a route or a policy would apply to other requests as well: it is removed as a whole.
  const condition = path.findIndex((name) => CONDITIONS.has(name))
  const end = access >= 0 ? access + 1 : condition > 0 ? condition : path.length
  const steps = walk(document.contents, path.slice(0, end), (node) => resolveAlias(node, document))
  const last = steps.at(-1)
  if (!last) throw new CommandFailure(problem.expectation)
  const name = last.name
  const at = positionOf(last.node, steps.map(({ owner }) => owner).toReversed(), imported)
  const subject = problem.path === '' ? problem.pointer.slice(1).replaceAll('/', '.') : problem.path
  const reason = problem.expectation.replace(/^not supported yet: .*/, 'not supported yet')
  if (isSeq(last.owner)) last.owner.items.splice(Number(name), 1)
  else last.owner.delete(findKey(last.owner, name))
  const comment = ` Not carried over: ${subject}: ${reason}`
  last.owner.commentBefore =
    last.owner.commentBefore === undefined || last.owner.commentBefore === null
      ? comment
      : `${last.owner.commentBefore}\n${comment}`
  if (access >= 0 && isMap(last.owner)) {
    const policy = name.startsWith('network') ? 'networkAuthorization' : 'authorization'
    const rule = document.createNode(denyEverything())
    rule.commentBefore = ' Denies everything, in place of a rule that was not carried over.'
    last.owner.set(policy, rule)
    report.closed(at, subject, reason, `replace the rule of ${policy} that denies everything`)
  } else report.dropped(at, subject, reason, hintOf(problem, condition > 0))
  return `/${steps.map((step) => step.name).join('/')}`
}

const hintOf = ({ hint }: ConfigProblem, isEntryRemoved: boolean): string | undefined => {
  if (isEntryRemoved) return 'the entry is removed as a whole: its requests go to other routes'
  return hint?.startsWith('known fields') ? undefined : hint
}

interface Step {
  readonly owner: Owner
  readonly name: string
  readonly node: unknown
}

type Owner = YAMLMap | YAMLSeq

/** The nodes on the way to a value, as far as they exist. */
const walk = (
  root: unknown,
  path: readonly string[],
  resolve: (node: unknown) => unknown,
): readonly Step[] => {
  const steps: Step[] = []
  let node = resolve(root)
  for (const name of path) {
    const next = isMap(node)
      ? node.get(findKey(node, name), true)
      : isSeq(node)
        ? node.items[Number(name)]
        : undefined
    if (next === undefined) break
    steps.push({ owner: node as Owner, name, node: next })
    node = resolve(next)
  }
  return steps
}

const resolveAlias = (node: unknown, document: ImportedDocument['document']): unknown =>
  isAlias(node) ? node.resolve(document) : node

const findKey = (map: YAMLMap, name: string): unknown =>
  map.items.find(({ key }) => String(key instanceof Scalar ? key.value : key) === name)?.key ?? name

const positionOf = (node: unknown, owners: readonly unknown[], imported: ImportedDocument): Position => {
  for (const one of [node, ...owners]) {
    const origin = one === undefined || one === null ? undefined : imported.originOf(one as Node)
    if (origin) return origin
  }
  return { line: 1, column: 1 }
}
