import type { LogLevel } from '../../model/log/log-level.ts'
import type { LogLevels } from '../../sinks/log/levels.ts'

/** The components of the control plane, each with its own log level, and what they do. */
export const components = {
  default: 'the process, its servers and the election of a leader',
  syncer: 'the objects of the cluster, and resources for proxies',
  translator: 'the translation of objects into resources and statuses',
  'gateway controller': 'statuses of Gateways, classes and routes',
  deployer: 'the objects that run proxies',
} as const

/** The name of a component. */
export type Component = keyof typeof components

/** The names of all components, sorted. */
export const componentNames = (Object.keys(components) as Component[]).sort()

/** Whether there is a component of that name. */
export const isComponent = (name: string): name is Component => Object.hasOwn(components, name)

/** The log levels of the components, which change while the control plane runs. */
export class ComponentLevels implements LogLevels {
  readonly level: LogLevel
  readonly scopes: Map<string, LogLevel>
  readonly #changed: (() => void)[] = []

  constructor(level: LogLevel) {
    this.level = level
    this.scopes = new Map(componentNames.map((name) => [name, level]))
  }

  /** Sets the levels of components. */
  set(levels: ReadonlyMap<Component, LogLevel>): void {
    for (const [name, level] of levels) this.scopes.set(name, level)
    for (const changed of this.#changed) changed()
  }

  /** The level of each component, by name. */
  get components(): readonly (readonly [name: string, level: LogLevel])[] {
    return componentNames.map((name) => [name, this.scopes.get(name) ?? this.level])
  }

  readonly onChange = (changed: () => void): void => {
    this.#changed.push(changed)
  }
}
