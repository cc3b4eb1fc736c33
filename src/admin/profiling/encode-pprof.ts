import {
  Function as PprofFunction,
  Line,
  Location,
  Mapping,
  Profile,
  Sample,
  StringTable,
  ValueType as PprofValueType,
} from 'pprof-format'
import type { StackProfile, ValueType } from './stack-profile.ts'

/** Makes a profile in the format of pprof. Frames without a name are called `(anonymous)`. */
export const encodePprof = (profile: StackProfile): Profile => {
  const stringTable = new StringTable()
  const id = (text: string): number => stringTable.dedup(text)
  const type = ([name, unit]: ValueType) => new PprofValueType({ type: id(name), unit: id(unit) })

  const functions = new Map<string, PprofFunction>()
  const functionId = (name: string, script: string, startLine: number): number => {
    const key = `${name}\n${script}\n${startLine}`
    let found = functions.get(key)
    if (!found) {
      const shown = id(name === '' ? '(anonymous)' : name)
      const fields = {
        id: functions.size + 1,
        name: shown,
        systemName: shown,
        filename: id(script),
        startLine,
      }
      functions.set(key, (found = new PprofFunction(fields)))
    }
    return Number(found.id)
  }
  const location = profile.frames.map(
    ({ name, script, line, column, startLine }, i) =>
      new Location({
        id: i + 1,
        mappingId: 1,
        line: [new Line({ functionId: functionId(name, script, startLine), line, column })],
      }),
  )
  const last = profile.valueTypes.at(-1)?.[0] ?? ''
  return new Profile({
    sampleType: profile.valueTypes.map(type),
    sample: profile.stacks.map(
      ({ frames, values }) => new Sample({ locationId: frames.map((frame) => frame + 1), value: values }),
    ),
    // Without a mapping that has all symbols, pprof searches a binary for symbols.
    mapping: [
      new Mapping({
        id: 1,
        filename: id('agentgateway'),
        hasFunctions: true,
        hasFilenames: true,
        hasLineNumbers: true,
        hasInlineFrames: true,
      }),
    ],
    location,
    function: [...functions.values()],
    timeNanos: BigInt(Math.round(profile.beganAtMs)) * 1_000_000n,
    durationNanos: Math.round(profile.durationMs * 1e6),
    periodType: type(profile.period.type),
    period: profile.period.value,
    comment: profile.comments.map(id),
    defaultSampleType: id(last),
    stringTable,
  })
}
