import { gunzipSync, gzipSync } from 'node:zlib'
import { Profile } from 'pprof-format'
import { decodePprof } from './decode-pprof.ts'
import { encodePprof } from './encode-pprof.ts'
import { StackTable, type StackProfile } from './stack-profile.ts'

/**
 * Merges profiles of several processes, in the compressed format of pprof, into one; a single one stays as it is. The
 * time is from the earliest begin, the duration that of the longest.
 *
 * @throws Error if their values are not the same in number, type and unit.
 */
export const mergeProfiles = (profiles: readonly Uint8Array[]): Uint8Array => {
  const [first, ...others] = profiles
  if (!first) throw new Error('no profile to merge')
  if (others.length === 0) return first
  const merged = mergeStackProfiles(profiles.map((bytes) => decodePprof(Profile.decode(gunzipSync(bytes)))))
  return gzipSync(encodePprof(merged).encode())
}

const mergeStackProfiles = (profiles: readonly StackProfile[]): StackProfile => {
  const [first] = profiles as [StackProfile]
  const table = new StackTable()
  for (const { valueTypes, frames, stacks } of profiles) {
    if (String(valueTypes) !== String(first.valueTypes))
      throw new Error(`profiles differ: ${String(first.valueTypes)} and ${String(valueTypes)}`)
    const ids = frames.map((frame) => table.frameId(frame))
    for (const { frames: stack, values } of stacks)
      table.add(
        stack.map((i) => ids[i] ?? 0),
        values,
      )
  }
  return {
    ...first,
    beganAtMs: Math.min(...profiles.map(({ beganAtMs }) => beganAtMs)),
    durationMs: Math.max(...profiles.map(({ durationMs }) => durationMs)),
    frames: table.frames,
    stacks: table.stacks,
    comments: [...new Set(profiles.flatMap(({ comments }) => comments))],
  }
}
