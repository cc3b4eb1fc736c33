/** Source location of a resource, for messages; of what a control plane has sent, the name of the resource. */
export interface Origin {
  readonly path: string
  readonly line: number
  readonly column: number
}
