import type { SharedSettings } from '../normalize/context.ts'
import type { NormalResource } from './normal-resource.ts'
import type { XdsDocument } from './xds-document.ts'
import type { XdsResource } from './xds-resource.ts'

/** A resource that has been checked. */
export interface AcceptedResource {
  /** In xDS. */
  readonly name: string
  readonly resource: XdsResource
  readonly normal: NormalResource
  /** The settings by which it was normalised. */
  readonly shared: SharedSettings
  readonly document: XdsDocument
  /** Of its name and version. */
  readonly digest: Int32Array
}
