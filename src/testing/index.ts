/** The public test kit: exchanges without sockets, ways to run an operator, its laws, and stand-ins for upstreams. */
export { exchange, type ExchangeOverrides } from './exchange.ts'
export { run, runAsync } from './run.ts'
export { operatorLaws, type LawOptions } from './operator-laws.ts'
export { answer, breakWith, inTurn } from './upstream.ts'
export { ManualBody } from './manual-body.ts'
export { TraceRecorder } from './trace-recorder.ts'
export { bareSnapshot } from './bare-snapshot.ts'
