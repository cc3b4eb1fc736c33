/**
 * The public test kit: exchanges without sockets, ways to run an operator, the operator laws, fake upstreams and
 * language models, and a validator of the latter's streams.
 */
export { exchange, type ExchangeOverrides } from './exchange.ts'
export { run, runAsync } from './run.ts'
export { operatorLaws, type LawOptions } from './operator-laws.ts'
export { failingUpstream, fakeUpstream, inTurn } from './upstream.ts'
export { MockLlm } from '../upstream/mock-llm/mock-llm.ts'
export { ManualBody } from './manual-body.ts'
export { TraceRecorder } from './trace-recorder.ts'
export { bareSnapshot } from './bare-snapshot.ts'
export { LlmStreamValidator, llmStreamViolations, type LlmStreamFormat } from './llm-streams/validator.ts'
export type { LlmStreamRule, LlmStreamViolation } from './llm-streams/report.ts'
