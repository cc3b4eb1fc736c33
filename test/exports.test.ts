import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import ts from 'typescript'
import { command } from './support/command.ts'

/**
 * What the package offers, entry by entry: others build on it, so a change here is a change for them. Add freely; take
 * away or rename with a new major version.
 */
const promised: Readonly<
  Record<string, { readonly values: readonly string[]; readonly types: readonly string[] }>
> = {
  '.': {
    values: [
      'BufferBody',
      'Exchange',
      'Fault',
      'GrpcClient',
      'Headers',
      'IdentityProvider',
      'KeyRing',
      'OriginUpstream',
      'Passwords',
      'RemoteKeySet',
      'Reply',
      'Request',
      'SealRing',
      'Trace',
      'backendPipeline',
      'delegate',
      'deny',
      'emptyBody',
      'faultReply',
      'fixedKeySet',
      'holds',
      'listenerPipeline',
      'onReply',
      'onRequest',
      'readKeyRing',
      'rescue',
      'respond',
      'routePipeline',
      'sequence',
      'upstreamOf',
    ],
    types: [
      'BackendLabels',
      'BackendStages',
      'Body',
      'BodySink',
      'ClientCertificate',
      'Connection',
      'CredentialPlace',
      'Decide',
      'Evaluate',
      'Evaluated',
      'GrpcClientOptions',
      'GrpcService',
      'HttpUpstream',
      'IdentityProviderOptions',
      'JwtMode',
      'KeySet',
      'ListenerStages',
      'Operator',
      'PasswordClaim',
      'PasswordVerdict',
      'PolicyResult',
      'Probe',
      'RawFields',
      'Reason',
      'RemoteKeySetOptions',
      'RequestParts',
      'Rescuer',
      'RouteLabels',
      'RouteStages',
      'Sides',
      'Snapshot',
      'TlsFacts',
      'TraceEvent',
      'TraceMessage',
      'UpstreamCall',
      'UpstreamEvents',
      'UpstreamOfOptions',
      'Verdict',
      'Watch',
    ],
  },
  './operators': {
    values: [
      'GuardFailure',
      'TokenBucket',
      'TokenVerifier',
      'Turnstile',
      'answerDirectly',
      'apiKey',
      'askModels',
      'authenticateUpstream',
      'authorize',
      'authorizeExternally',
      'backend',
      'basicAuth',
      'bodiesReadBy',
      'bufferReply',
      'bufferRequest',
      'choose',
      'cors',
      'csrf',
      'delay',
      'everyScope',
      'forwardHeaders',
      'jwt',
      'limitRate',
      'limitRateRemotely',
      'mirror',
      'modifyRequestHeaders',
      'modifyResponseHeaders',
      'oidc',
      'pickByWeight',
      'processExternally',
      'redirect',
      'regexGuard',
      'rejectWith',
      'retry',
      'rewrite',
      'route',
      'routeTable',
      'stripLoginCookies',
      'timeOutAttempt',
      'timeOutExchange',
      'transform',
    ],
    types: [
      'ApiKeyOptions',
      'AskModelsOptions',
      'AuthorizationRule',
      'AuthorizeExternallyOptions',
      'AuthorizeOptions',
      'BasicAuthOptions',
      'Checked',
      'Checking',
      'Choice',
      'CredentialSource',
      'Decider',
      'DelayOptions',
      'DirectAnswer',
      'Guard',
      'GuardPhase',
      'GuardRejection',
      'GuardStreaming',
      'GuardVerdict',
      'GuardedText',
      'Guards',
      'Held',
      'Judgement',
      'JwtIssuer',
      'JwtOptions',
      'LimitRateRemotelyOptions',
      'Mask',
      'MirrorOptions',
      'ModelProvider',
      'OidcOptions',
      'Phases',
      'PipedRoute',
      'ProcessExternallyOptions',
      'RegexGuard',
      'RegexRule',
      'Reject',
      'RequestHead',
      'RetryOptions',
      'Routable',
      'RouteTable',
      'Selected',
      'Settle',
      'ShownBody',
      'TextFollower',
      'TextScope',
      'TokenBucketOptions',
      'TokenRefusal',
      'TransformOptions',
      'Transformation',
      'UpstreamCredential',
      'Verification',
      'VerifiedToken',
      'VerifierOptions',
      'WeightedChoice',
    ],
  },
  './streams': {
    values: ['fileChanges', 'listen', 'openPorts', 'signals', 'snapshots'],
    types: [
      'ConnectionEvents',
      'ConnectionLabels',
      'ConnectionProtocol',
      'Gate',
      'ListenOptions',
      'Listening',
      'PortAddress',
      'PortFailure',
      'PortOptions',
      'Ports',
      'RawSession',
      'Responder',
      'Responders',
      'SnapshotSteps',
    ],
  },
  './sinks': {
    values: [
      'ClientSink',
      'Http2ClientSink',
      'Metrics',
      'TraceSse',
      'accessLog',
      'clientSinks',
      'logDestination',
      'parseLogLevels',
      'processLog',
      'rawAccessLog',
    ],
    types: [
      'AccessLogOptions',
      'CustomLabel',
      'Facts',
      'Log',
      'LogDestination',
      'LogDestinationOptions',
      'LogLevels',
      'LogOptions',
      'MetricSources',
      'MetricsOptions',
      'RawAccessLogOptions',
      'TraceSseSettings',
    ],
  },
  './protocols/llm': {
    values: [
      'AwsEventDecoder',
      'BadReply',
      'BadRequest',
      'EventCutter',
      'EventParser',
      'Losses',
      'codecs',
      'completions',
      'converse',
      'eventsIn',
      'generateContent',
      'isChatFormat',
      'mergeUsage',
      'messages',
      'replyEvents',
      'responses',
      'translations',
      'upstreamFormat',
    ],
    types: [
      'Asked',
      'AudioPart',
      'AwsEventSink',
      'BlockStart',
      'CacheMark',
      'ChatCodec',
      'ChatEvent',
      'ChatFormat',
      'ChatReply',
      'ChatRequest',
      'EventSink',
      'FilePart',
      'Finish',
      'Format',
      'HiddenThinkingPart',
      'ImagePart',
      'JsonObject',
      'LlmError',
      'OtherFormat',
      'OutputShape',
      'Part',
      'Reasoning',
      'ReasoningEffort',
      'ReceivedEvent',
      'RefusalPart',
      'ReplyFacts',
      'RequestFacts',
      'RequestPlace',
      'Source',
      'StreamDecoder',
      'StreamEncoder',
      'StreamFacts',
      'Tell',
      'TextPart',
      'ThinkingPart',
      'Tool',
      'ToolCallPart',
      'ToolChoice',
      'ToolResultPart',
      'Turn',
      'Usage',
    ],
  },
  './testing': {
    values: [
      'LlmStreamValidator',
      'ManualBody',
      'MockLlm',
      'TraceRecorder',
      'answer',
      'bareSnapshot',
      'breakWith',
      'exchange',
      'inTurn',
      'llmStreamViolations',
      'operatorLaws',
      'run',
      'runAsync',
    ],
    types: ['ExchangeOverrides', 'LawOptions', 'LlmStreamFormat', 'LlmStreamRule', 'LlmStreamViolation'],
  },
}

interface Entry {
  readonly 'agentgateway-source': string
  readonly types: string
  readonly default: string
}
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, Entry> }

/** Names that an entry exports: each by itself, so that nothing gets out by accident. */
const exportedBy = (path: string): { values: string[]; types: string[] } => {
  const names = { values: [] as string[], types: [] as string[] }
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  for (const statement of file.statements) {
    assert.ok(ts.isExportDeclaration(statement), `${path} does more than to export`)
    const clause = statement.exportClause
    assert.ok(clause && ts.isNamedExports(clause), `${path} exports something without naming it`)
    for (const { name, isTypeOnly } of clause.elements)
      (statement.isTypeOnly || isTypeOnly ? names.types : names.values).push(name.text)
  }
  return { values: names.values.sort(), types: names.types.sort() }
}

test('the package', async (t) => {
  await t.test('has these entry points, and the same ones in its build', () => {
    assert.deepEqual(Object.keys(exports), Object.keys(promised))
    for (const [entry, { 'agentgateway-source': source, types, default: built }] of Object.entries(exports)) {
      const path = entry === '.' ? '' : `${entry.slice(2)}/`
      assert.deepEqual(
        [source, types, built],
        [`./src/${path}index.ts`, `./dist/${path}index.d.ts`, `./dist/${path}index.js`],
      )
    }
  })

  for (const [entry, { values, types }] of Object.entries(promised)) {
    await t.test(`exports from ${entry} what it has promised`, async () => {
      const path = exports[entry]!['agentgateway-source']
      assert.deepEqual(exportedBy(path), { values, types })
      const found: object = (await import(new URL(`../${path}`, import.meta.url).href)) as object
      assert.deepEqual(Object.keys(found).sort(), values)
    })
  }

  await t.test('does nothing when it is imported, as it tells bundlers', async () => {
    const { sideEffects } = JSON.parse(readFileSync('package.json', 'utf8')) as { sideEffects?: boolean }
    assert.equal(sideEffects, false)
    const imports = Object.keys(promised).map((entry) => `import 'agentgateway${entry.slice(1)}'`)
    const flags = ['--conditions=agentgateway-source', '--input-type=module', '-e', imports.join('\n')]
    // A timer or a socket left behind would keep it from ending.
    assert.deepEqual(await command(process.execPath, flags), { status: 0, stdout: '', stderr: '' })
  })
})
