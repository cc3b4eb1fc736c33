import { gunzipSync } from 'node:zlib'
import { Profile } from 'pprof-format'

/** What a compressed profile says, with names instead of numbers. */
export interface DecodedProfile {
  readonly valueTypes: readonly string[]
  readonly period: string
  readonly durationMs: number
  readonly comments: readonly string[]
  /** Innermost frame first, as `name file:line`, with the values of the stack. */
  readonly stacks: readonly { readonly frames: readonly string[]; readonly values: readonly number[] }[]
}

/** Decodes a profile in the compressed format of pprof. */
export const decodeProfile = (bytes: Uint8Array): DecodedProfile => {
  const profile = Profile.decode(gunzipSync(bytes))
  const text = (index: number | bigint = 0): string => profile.stringTable.strings[Number(index)]!
  const functions = new Map(profile.function.map((one) => [Number(one.id), one]))
  const frames = new Map(
    profile.location.map(({ id, line }) => {
      const called = functions.get(Number(line[0]!.functionId))!
      return [Number(id), `${text(called.name)} ${text(called.filename)}:${line[0]!.line}`]
    }),
  )
  const { periodType, period } = profile
  return {
    valueTypes: profile.sampleType.map(({ type, unit }) => `${text(type)}/${text(unit)}`),
    period: `${text(periodType?.type)}/${text(periodType?.unit)} ${period}`,
    durationMs: Number(profile.durationNanos) / 1e6,
    comments: profile.comment.map(text),
    stacks: profile.sample.map(({ locationId, value }) => ({
      frames: locationId.map((id) => frames.get(Number(id))!),
      values: value.map(Number),
    })),
  }
}
