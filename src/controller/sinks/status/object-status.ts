import type { Condition } from '../../kinds/object.ts'
import type { DesiredCondition } from './keep-transitions.ts'

/** A status to be written: our part of it. */
export type DesiredStatus = StatusOf<DesiredCondition, object>

/** A status as an object has it. */
export type CurrentStatus = StatusOf<Condition, { readonly controllerName: string }>

interface StatusOf<C, Controller> {
  readonly conditions?: readonly C[]
  /** Of a Gateway or a ListenerSet, by name. */
  readonly listeners?: readonly (NamedStatus & { readonly conditions?: readonly C[] })[]
  /** Of a GatewayClass, by name. */
  readonly supportedFeatures?: readonly NamedStatus[]
  /** Of a route. */
  readonly parents?: readonly (Controller & EntryOf<C>)[]
  /** Of a policy. */
  readonly ancestors?: readonly (Controller & EntryOf<C>)[]
  readonly [field: string]: unknown
}

interface NamedStatus {
  readonly name: string
  readonly [field: string]: unknown
}

/** The conditions of one controller for an object under one parent. */
interface EntryOf<C> {
  readonly parentRef?: StatusReference
  readonly ancestorRef?: StatusReference
  readonly conditions?: readonly C[]
}

/** A reference as statuses have it. */
export interface StatusReference {
  readonly group?: string
  readonly kind?: string
  readonly name: string
  readonly namespace?: string
  readonly sectionName?: string
  readonly port?: number
}

/** An entry of `parents` or `ancestors`. */
export type StatusEntry<C, Controller> = Controller & EntryOf<C>
