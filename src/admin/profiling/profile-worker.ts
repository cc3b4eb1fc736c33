/** The program of the worker thread that takes and encodes profiles, so that the main thread has little to do with it. */
import { parentPort, workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { type Collection, type CpuSampling, sampleMainThread } from './cpu-sampler.ts'
import { encodePprof } from './encode-pprof.ts'
import { sourcePositions } from './source-positions.ts'
import { StackTable, type StackProfile } from './stack-profile.ts'

/** What the thread is to do: sample the main thread, or encode a profile that was taken before. */
export type ProfileTask =
  | { readonly kind: 'cpu'; readonly sampling: CpuSampling }
  | { readonly kind: 'encode'; readonly profile: string }

const run = async (task: ProfileTask): Promise<void> => {
  const collections: Collection[] = []
  parentPort?.on('message', (some: readonly Collection[]) => collections.push(...some))
  const profile =
    task.kind === 'cpu'
      ? await sampleMainThread(task.sampling, collections)
      : (JSON.parse(task.profile) as StackProfile)
  const bytes = gzipSync(encodePprof(inSources(profile)).encode())
  // A buffer of its own: small ones share the memory of others, which cannot be transferred.
  const { buffer } = new Uint8Array(bytes)
  parentPort?.postMessage(buffer, [buffer])
  parentPort?.close()
}

/** Positions in scripts become positions in sources; stacks that then are equal become one. */
const inSources = (profile: StackProfile): StackProfile => {
  const inSource = sourcePositions()
  const table = new StackTable()
  const ids = profile.frames.map((frame) => table.frameId(inSource(frame)))
  for (const { frames, values } of profile.stacks)
    table.add(
      frames.map((frame) => ids[frame] ?? 0),
      values,
    )
  return { ...profile, frames: table.frames, stacks: table.stacks }
}

await run(workerData as ProfileTask)
