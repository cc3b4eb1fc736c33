import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { beyond, conformance, type Verdict } from '../support/mcp/conformance.ts'
import {
  type EverythingOptions,
  type EverythingServer,
  startEverything,
} from '../support/mcp/everything-server.ts'
import {
  everythingTarget,
  httpTarget,
  type McpDaemonOptions,
  programTarget,
  sseTarget,
  startMcpDaemon,
  type Target,
} from '../support/mcp/mcp-daemon.ts'
import { openReplicaRelay } from '../support/mcp/replica-relay.ts'
import { startRoundRobin } from '../support/mcp/round-robin.ts'

type Revision = '2025-11-25' | '2026-07-28'

/** A gateway setup between the suite and the fixture. */
interface Mode {
  readonly name: string
  readonly revision: Revision
  readonly fixture?: EverythingOptions
  readonly targets: (fixture: EverythingServer) => readonly Target[]
  readonly options?: McpDaemonOptions
  /** Several replicas with one key, which can reach each other. */
  readonly replicas?: number
  /** The baseline, if not the fixture by itself. */
  readonly direct?: EverythingOptions
  /** Checks that the fixture passes directly and not through the gateway. */
  readonly lost?: readonly string[]
  /**
   * Excludes tasks, which are an extension: servers of older revisions have none, and task ids do not name their
   * server.
   */
  readonly noTasks?: boolean
}

const streamable = (fixture: EverythingServer) => [httpTarget('everything', fixture.url)]

/** A server of both revisions, and one that supports only handshakes. */
const demo = programTarget('demo', new URL('../../config/demo-mcp-server.js', import.meta.url).pathname)
const old = programTarget('old', new URL('../support/mcp/handshake-only.ts', import.meta.url).pathname)

/** Servers without standalone streams cannot close them: the gateway does. */
const hangingUp: McpDaemonOptions = { mcp: { hangUpAfter: '1s' } }

const modes: readonly Mode[] = [
  { name: 'a single target', revision: '2025-11-25', targets: streamable },
  { name: 'a single target', revision: '2026-07-28', targets: streamable },
  {
    name: 'a program',
    revision: '2025-11-25',
    targets: () => [everythingTarget('everything')],
    options: hangingUp,
  },
  { name: 'a program', revision: '2026-07-28', targets: () => [everythingTarget('everything')] },
  {
    name: 'the older transport',
    revision: '2025-11-25',
    targets: ({ origin }) => [sseTarget('everything', origin)],
    options: hangingUp,
  },
  {
    name: 'a server without handshakes',
    revision: '2025-11-25',
    fixture: { era: 'modern' },
    targets: streamable,
    options: hangingUp,
  },
  {
    name: 'two replicas',
    revision: '2025-11-25',
    targets: streamable,
    replicas: 2,
  },
  {
    name: 'two replicas',
    revision: '2026-07-28',
    targets: streamable,
    replicas: 2,
  },
  {
    name: 'one of two targets',
    revision: '2025-11-25',
    targets: (fixture) => [...streamable(fixture), demo],
    options: { mcp: { prefixMode: 'never' } },
  },
  {
    name: 'one of two targets',
    revision: '2026-07-28',
    targets: (fixture) => [...streamable(fixture), demo],
    options: { mcp: { prefixMode: 'never' } },
  },
  {
    name: 'next to a server with handshakes only',
    revision: '2026-07-28',
    targets: (fixture) => [...streamable(fixture), old],
    options: { mcp: { prefixMode: 'never' } },
  },
  {
    name: 'no sessions',
    revision: '2025-11-25',
    direct: { stateless: true },
    targets: streamable,
    options: { mcp: { statefulMode: 'stateless' } },
  },
  {
    name: 'no sessions',
    revision: '2026-07-28',
    targets: streamable,
    options: { mcp: { statefulMode: 'stateless' } },
  },
  {
    name: 'a server with handshakes only',
    revision: '2026-07-28',
    fixture: { era: 'legacy' },
    targets: streamable,
    noTasks: true,
    lost: [
      // Elicitations of these servers have no names, so clients cannot prepare replies.
      'input-required-result-basic-elicitation: InputRequiredResultElicitationComplete',
      'input-required-result-basic-elicitation: InputRequiredResultElicitationIncomplete',
      'input-required-result-ignore-extra-params: IgnoreUnexpectedParams',
    ],
  },
]

suite('the conformance suite through the gateway', { concurrency: 2 }, () => {
  const known = new Map<string, Promise<Verdict>>()

  const directly = (revision: Revision, options: EverythingOptions): Promise<Verdict> => {
    const name = `${revision} ${JSON.stringify(options)}`
    const verdict = known.get(name) ?? runDirectly(revision, options)
    known.set(name, verdict)
    return verdict
  }

  for (const mode of modes)
    test(`passes in ${mode.revision} what the fixture passes: ${mode.name}`, async (t) => {
      const {
        revision,
        fixture,
        direct = {},
        targets,
        options,
        replicas = 1,
        lost = [],
        noTasks = false,
      } = mode
      const expected = await directly(revision, direct)
      await using stack = new AsyncDisposableStack()
      const server = stack.use(await startEverything(fixture))
      const all = targets(server)
      const { origin } =
        replicas === 1
          ? stack.use(await startMcpDaemon(all, options))
          : stack.use(await startBalanced(all, replicas))
      const { passed, failed, because } = await conformance(`${origin}/mcp`, revision)
      t.diagnostic(`${passed.length} checks passed, ${failed.length} failed`)
      const missing = beyond(expected.passed, passed).filter(
        (check) => !(noTasks && check.startsWith('tasks-')),
      )
      assert.deepEqual(
        missing,
        lost,
        missing.map((check) => `${check}: ${because[check] ?? 'not run'}`).join('\n'),
      )
    })
})

/** Replicas behind a round-robin load balancer. */
const startBalanced = async (
  targets: readonly Target[],
  replicas: number,
): Promise<AsyncDisposable & { readonly origin: string }> => {
  const stack = new AsyncDisposableStack()
  const origins: string[] = []
  while (origins.length < replicas) {
    const door = stack.use(await openReplicaRelay())
    const session = { key: '0123456789abcdef'.repeat(4), address: door.origin }
    const { origin } = stack.use(await startMcpDaemon(targets, { config: { session } }))
    door.relayTo(origin)
    origins.push(origin)
  }
  const { origin } = stack.use(await startRoundRobin(origins))
  return { origin, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const runDirectly = async (revision: Revision, options: EverythingOptions): Promise<Verdict> => {
  await using server = await startEverything(options)
  return await conformance(server.url, revision)
}
