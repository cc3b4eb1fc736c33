import type { SimpleTest } from '@bufbuild/cel-spec/cel/expr/conformance/test/simple_pb.js'
import { getConformanceSuite, type IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js'

/** One test of the CEL specification. */
export interface SpecCase {
  readonly file: string
  /** `section/name`. */
  readonly name: string
  readonly test: SimpleTest
}

/** Every simple test of the specification, from the npm package. */
export const specCases = (): readonly SpecCase[] =>
  getConformanceSuite().suites.flatMap((file) =>
    file.suites.flatMap((section) => numbered(file.name, section)),
  )

/** Some names occur twice in a section: the later ones get a number. */
const numbered = (file: string, { name: section, tests }: IncrementalTestSuite): SpecCase[] => {
  const seen = new Map<string, number>()
  return tests.map(({ original }) => {
    const count = (seen.get(original.name) ?? 0) + 1
    seen.set(original.name, count)
    return { file, name: `${section}/${original.name}${count > 1 ? `#${count}` : ''}`, test: original }
  })
}

/**
 * Whether a test is about protobuf messages, which expressions of a gateway never have, or about settings of a
 * parser.
 */
export const isAboutMessages = ({ test }: SpecCase): boolean =>
  test.disableMacros ||
  test.container !== '' ||
  messageNames.test(test.expr) ||
  /"(?:objectValue|enumValue|messageType|abstractType)"/.test(casesIn([test.bindings, test.typeEnv])) ||
  (!timeResult.test(casesIn(test.resultMatcher)) &&
    /"(?:objectValue|enumValue|messageType|abstractType|wrapper)"/.test(casesIn(test.resultMatcher)))

const messageNames =
  /TestAllTypes|TestRequired|GlobalEnum|NestedTestAllTypes|google\.protobuf\.(?!Timestamp\b|Duration\b)\w+|(?:Timestamp|Duration)\s*\{/

/** Timestamps and durations are messages too. */
const timeResult = /google\.protobuf\.(?:Timestamp|Duration)/

const casesIn = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner))
