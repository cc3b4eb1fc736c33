import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LabAccess } from './lab.ts'
import { inferenceExtensionFolder, inferenceProgramNames, programPath } from './programs.ts'

/** The profile of the inference extension, whose suite is a program of its own. */
export const INFERENCE_PROFILE = 'INFERENCE'

/** Builds what runs of this profile need. */
export const buildInferencePrograms = async (): Promise<void> => {
  for (const name of inferenceProgramNames) console.log(await programPath(name))
}

/** Installs the CRDs of InferencePools, and of what the picker of the suite watches. */
export const installInferenceExtension = async ({ kubectl }: LabAccess): Promise<void> => {
  const folder = join(await inferenceExtensionFolder(), 'config', 'crd', 'bases')
  for (const name of definitions) {
    const text = readFileSync(join(folder, `${name}.yaml`), 'utf8')
    await kubectl(['apply', '--server-side', '-f', '-'], text)
  }
  await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
}

const definitions = [
  'inference.networking.k8s.io_inferencepools',
  'inference.networking.x-k8s.io_inferencemodelrewrites',
  'inference.networking.x-k8s.io_inferenceobjectives',
  'inference.networking.x-k8s.io_inferencepools',
]
