import type { LogDirective } from '../../model/log/log-directive.ts'
import type { LogLevel } from '../../model/log/log-level.ts'
import { isLogModule, type LogModule, logModuleNames } from '../../model/log/log-modules.ts'
import { levelOf, type LogLevels } from './levels.ts'

/** The levels in force. Every log that follows them changes at once. */
export class LogLevelControl implements LogLevels {
  #level: LogLevel
  readonly #scopes = new Map<LogModule, LogLevel>()
  readonly #startup: LogDirective
  readonly #changed: (() => void)[] = []

  /** @param startup The levels to begin with, and to return to. Scopes that are no modules are left out. */
  constructor(startup: LogLevels) {
    const modules = [...startup.scopes].flatMap(([name, level]) =>
      isLogModule(name) ? [[name, level] as const] : [],
    )
    this.#startup = { level: startup.level, modules: new Map(modules) }
    this.#level = startup.level
    this.#set(this.#startup)
  }

  get level(): LogLevel {
    return this.#level
  }

  get scopes(): ReadonlyMap<LogModule, LogLevel> {
    return this.#scopes
  }

  /** The levels as text: `info,upstream=debug`. */
  get directive(): string {
    return [this.level, ...[...this.scopes].map(([name, level]) => `${name}=${level}`)].join(',')
  }

  /** The level of each module. */
  get modules(): readonly (readonly [name: LogModule, level: LogLevel])[] {
    return logModuleNames.map((name) => [name, levelOf(this, name)])
  }

  /** Sets levels. Those of modules that are not named stay, unless the levels are first reset to those of the start. */
  apply(directive: LogDirective, isReset = false): void {
    if (isReset) {
      this.#scopes.clear()
      this.#set(this.#startup)
    }
    this.#set(directive)
    for (const changed of this.#changed) changed()
  }

  /** Calls back after each change. Callbacks stay for the life of the levels. */
  readonly onChange = (changed: () => void): void => {
    this.#changed.push(changed)
  }

  #set({ level, modules }: LogDirective): void {
    if (level !== undefined) this.#level = level
    for (const [name, one] of modules) this.#scopes.set(name, one)
  }
}
