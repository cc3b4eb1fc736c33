import { createHash } from 'node:crypto'
import type { Bind, Resources } from '../../model/resources/resources.ts'
import { bindProtocol } from '../../streams/http/port/normalize/gateways.ts'
import type { LoadedConfig } from '../load.ts'
import type { AssembledResources } from './assemble.ts'
import type { XdsState } from './xds-state.ts'

/** A configuration that was made of a file and of what a control plane has sent. */
export interface JoinedConfig extends LoadedConfig {
  /** The file alone. */
  readonly ofFile: LoadedConfig
  /** Only what the control plane has sent is new: the file was not read again. */
  readonly isUpdate: boolean
}

/** The file that a configuration was made of. */
export const fileOf = (config: LoadedConfig | JoinedConfig): LoadedConfig =>
  'ofFile' in config ? config.ofFile : config

/** Joins files with the resources of a control plane, which come beside those of the file. */
export class XdsJoin {
  readonly #state: XdsState
  readonly #joinLists = joinedLists()

  constructor(state: XdsState) {
    this.#state = state
  }

  /** The configuration of a file with what the control plane has sent so far. */
  join(ofFile: LoadedConfig, isUpdate = false): Promise<JoinedConfig> {
    return this.#state.read(ofFile.shared, () => this.#joinAtOnce(ofFile, isUpdate))
  }

  #joinAtOnce(ofFile: LoadedConfig, isUpdate: boolean): JoinedConfig {
    const resources = this.#joined(ofFile.resources, this.#state.assemble())
    const hash = createHash('sha256')
      .update(`${ofFile.hash} ${this.#state.digest}`)
      .digest('hex')
      .slice(0, 16)
    return { ...ofFile, resources, hash, ofFile, isUpdate }
  }

  #joined(file: Resources, sent: AssembledResources): Resources {
    return { ...file, ...this.#joinLists(file, sent), binds: joinedBinds(file.binds, sent.binds) }
  }
}

/** Joins lists, each of which stays the same object while both of its parts do. */
const joinedLists = () => {
  const [backends, policies, routeGroups, services, workloads] = [
    concatenation<Resources['backends'][number]>(),
    concatenation<Resources['policies'][number]>(),
    concatenation<Resources['routeGroups'][number]>(),
    concatenation<Resources['services'][number]>(),
    concatenation<Resources['workloads'][number]>(),
  ]
  return (file: Resources, sent: AssembledResources) => ({
    backends: backends(file.backends, sent.backends),
    policies: policies(file.policies, sent.policies),
    routeGroups: routeGroups(file.routeGroups, sent.routeGroups),
    services: services(file.services, sent.services),
    workloads: workloads(file.workloads, sent.workloads),
  })
}

const concatenation = <T>(): ((first: readonly T[], second: readonly T[]) => readonly T[]) => {
  let last: { readonly parts: readonly [readonly T[], readonly T[]]; readonly list: readonly T[] } | undefined
  return (first, second) => {
    if (first.length === 0) return second
    if (second.length === 0) return first
    if (last?.parts[0] !== first || last.parts[1] !== second)
      last = { parts: [first, second], list: [...first, ...second] }
    return last.list
  }
}

/** A port of both has the listeners of both. */
const joinedBinds = (file: readonly Bind[], sent: readonly Bind[]): readonly Bind[] => {
  const binds = new Map(file.map((bind) => [bind.key, bind]))
  for (const bind of sent) {
    const own = binds.get(bind.key)
    const listeners = [...(own?.listeners ?? []), ...bind.listeners]
    binds.set(bind.key, own ? { ...own, listeners, protocol: bindProtocol(listeners) } : bind)
  }
  return [...binds.values()]
}
