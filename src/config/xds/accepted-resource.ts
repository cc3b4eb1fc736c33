import type { NormalResource } from './normal-resource.ts'
import type { XdsDocument } from './xds-document.ts'
import type { XdsResource } from './xds-resource.ts'

/** A resource that has been checked. */
export interface AcceptedResource {
  /** In xDS. */
  readonly name: string
  readonly resource: XdsResource
  readonly normal: NormalResource
  readonly document: XdsDocument
  /** Of its name and version. */
  readonly digest: Buffer
}
