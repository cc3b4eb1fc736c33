import { type Profile, type ValueType as PprofValueType } from 'pprof-format'
import type { ProfileFrame, StackProfile, ValueType } from './stack-profile.ts'

/** Reads a profile that `encodePprof` has made; of those of other programs, inlined functions and labels are lost. */
export const decodePprof = (profile: Profile): StackProfile => {
  const { strings } = profile.stringTable
  const text = (index: number | bigint): string => strings[Number(index)] ?? ''
  const type = (value: PprofValueType | undefined): ValueType => [
    text(value?.type ?? 0),
    text(value?.unit ?? 0),
  ]
  const functions = new Map(profile.function.map((one) => [Number(one.id), one]))
  const indexes = new Map<number, number>()
  const frames = profile.location.map(({ id, line: [line] }, i): ProfileFrame => {
    indexes.set(Number(id), i)
    const called = functions.get(Number(line?.functionId ?? 0))
    return {
      name: text(called?.name ?? 0),
      script: text(called?.filename ?? 0),
      line: Number(line?.line ?? 0),
      column: Number(line?.column ?? 0),
      startLine: Number(called?.startLine ?? 0),
    }
  })
  return {
    valueTypes: profile.sampleType.map(type),
    period: { type: type(profile.periodType), value: Number(profile.period) },
    beganAtMs: Number(BigInt(profile.timeNanos) / 1_000_000n),
    durationMs: Number(profile.durationNanos) / 1e6,
    frames,
    stacks: profile.sample.map(({ locationId, value }) => ({
      frames: locationId.map((id) => indexes.get(Number(id)) ?? 0),
      values: value.map(Number),
    })),
    comments: profile.comment.map(text),
  }
}
