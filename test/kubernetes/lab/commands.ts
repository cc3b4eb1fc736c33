import { spawnSync } from 'node:child_process'
import { repository } from './build.ts'
import {
  controllerRoleUse,
  hasController,
  type Installation,
  installController,
  restartPrograms,
} from './controller.ts'
import { writeImages } from './images.ts'
import {
  buildInferencePrograms,
  INFERENCE_PROFILE,
  installInferenceExtension,
} from './inference-extension.ts'
import { findLab, type LabAccess, type LabOptions, startLab, stopLab } from './lab.ts'
import { programPath } from './programs.ts'
import { runSuite, type SuiteOptions, type SuiteOutcome } from './suite.ts'

/** Runs a lab until the signal, with the controller if there is one. */
export const up = async (
  options: LabOptions & Installation & { readonly signal: AbortSignal },
): Promise<void> => {
  await using lab = await startLab(options)
  if (hasController())
    await Promise.race([installController(lab, options), aborted(options.signal), lab.broken])
  if (options.signal.aborted) return
  console.log(`The lab is up: KUBECONFIG=${lab.kubeconfig}, logs in ${lab.folder}/logs.`)
  console.log('In another terminal: npm run lab -- kubectl get pods -A. Ctrl-C ends it.')
  await Promise.race([aborted(options.signal), lab.broken])
}

/** Ends the lab that `up` runs in another terminal. */
export const down = (name: string): Promise<void> => stopLab(name)

/** Runs a command in the namespaces of the lab, and returns its exit code. */
export const enter = (name: string, command: readonly string[]): number => {
  const lab = findLab(name)
  const [program = '', ...args] = lab.enter(command)
  const env = { ...process.env, KUBECONFIG: lab.kubeconfig }
  return spawnSync(program, args, { stdio: 'inherit', env, cwd: repository }).status ?? 1
}

/** Runs kubectl, of the release of the API server. */
export const kubectl = async (name: string, args: readonly string[]): Promise<number> =>
  enter(name, [await programPath('kubectl'), ...args])

/** Builds the project anew, and replaces the pods that run it. */
export const reload = async (name: string, installation: Installation): Promise<void> => {
  const lab = findLab(name)
  await writeImages(lab.folder)
  await restartPrograms(lab, installation)
}

/** A lab to try the suite in: one that runs already, or one for this run only. */
export const conformance = async (
  options: SuiteOptions &
    LabOptions &
    Installation & { readonly signal: AbortSignal; readonly running: boolean },
): Promise<number> => {
  if (!hasController()) {
    console.log('NOT RUN: the conformance suite, because there is no controller')
    return 0
  }
  const hasInferencePools = options.profile === INFERENCE_PROFILE
  if (hasInferencePools) await buildInferencePrograms()
  if (options.running) return await testLab(findLab(options.name), options)
  await using lab = await startLab(options)
  const install = async () => {
    if (hasInferencePools) await installInferenceExtension(lab)
    await installController(lab, { ...options, hasInferencePools })
  }
  await Promise.race([install(), aborted(options.signal), lab.broken])
  if (options.signal.aborted) return INTERRUPTED
  const status = await Promise.race([testLab(lab, options), aborted(options.signal), lab.broken])
  if (status === undefined) return INTERRUPTED
  if (status !== 0) {
    lab.keepFolder()
    console.log(`Logs of the suite, the controller and all pods: ${lab.folder}/logs`)
  }
  return status
}

/** The suite, and whether the controller got along with its role. */
const testLab = async (
  lab: LabAccess,
  options: SuiteOptions & { readonly signal: AbortSignal },
): Promise<number> => {
  const outcome = await runSuite(lab, options)
  const { refused, unused } = controllerRoleUse(lab)
  for (const request of refused) console.log(`refused to the controller: ${request}`)
  // One test shows little of the role.
  if (options.test === undefined) console.log(`granted to the controller, and not used: ${unused.join(', ')}`)
  const failed = refused.length > 0 ? [...outcome.failed, 'the role of the controller'] : outcome.failed
  return report({ ...outcome, failed })
}

/** The exit code after Ctrl-C. */
export const INTERRUPTED = 130

const report = ({ passed, failed, skipped }: SuiteOutcome): number => {
  for (const name of failed) console.log(`✖ ${name}`)
  if (skipped.length > 0) console.log(`${skipped.length} skipped: ${skipped.join(' ')}`)
  console.log(`conformance: ${passed.length} passed, ${failed.length} failed`)
  return failed.length > 0 || passed.length === 0 ? 1 : 0
}

/** Without a timer, which would keep this process alive after the work. */
const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
