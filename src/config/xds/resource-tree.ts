import type { XdsResource } from './xds-resource.ts'

/**
 * Resources in parts within parts. A part that did not change is the same object as before, so that a change among
 * thousands of resources is found without looking at all of them.
 */
export type ResourceTree = XdsResource | readonly ResourceTree[]

/** The resources of a tree, in their order. */
export const resourcesOf = (tree: ResourceTree): readonly XdsResource[] => {
  const resources: XdsResource[] = []
  collect(tree, resources)
  return resources
}

/** The resources that are other objects in one tree than in the other one, or not there. */
export interface TreeDifference {
  readonly removed: readonly XdsResource[]
  readonly added: readonly XdsResource[]
}

/** How two trees differ. Costs the parts that differ, not the resources that there are. */
export const treeDifference = (before: ResourceTree, now: ResourceTree): TreeDifference => {
  const difference = { removed: [], added: [] }
  compare(before, now, difference)
  return difference
}

interface Difference {
  readonly removed: XdsResource[]
  readonly added: XdsResource[]
}

const compare = (before: ResourceTree, now: ResourceTree, difference: Difference): void => {
  if (before === now) return
  if (isResource(before) || isResource(now)) {
    collect(before, difference.removed)
    collect(now, difference.added)
  } else if (before.length === now.length) {
    for (const [index, part] of now.entries()) compare(before[index] as ResourceTree, part, difference)
  } else {
    const [known, kept] = [new Set(before), new Set(now)]
    for (const part of before) if (!kept.has(part)) collect(part, difference.removed)
    for (const part of now) if (!known.has(part)) collect(part, difference.added)
  }
}

const collect = (tree: ResourceTree, into: XdsResource[]): void => {
  if (isResource(tree)) into.push(tree)
  else for (const part of tree) collect(part, into)
}

const isResource = (tree: ResourceTree): tree is XdsResource => 'kind' in tree
