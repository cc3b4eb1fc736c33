import type * as File from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import { backendPlaces } from './backend-places.ts'
import { aiProviders, llmModels } from './llm-sites.ts'
import { policyContainers } from './policy-containers.ts'
import type { View } from './view.ts'

/** A place of the file that holds guards. */
export interface GuardSite {
  readonly value: File.LlmGuards
  readonly pointer: string
}

/** Every such place, once. */
export function guardSites(view: View): readonly GuardSite[] {
  return [
    ...sectionSites(view),
    ...llmModels(view).flatMap(({ value, pointer }) => site(value.guardrails, child(pointer, 'guardrails'))),
    ...promptGuards(view),
  ]
}

/** For each that is guarded, the places that say something about it, the outer ones first. */
export function modelLevels(view: View): readonly (readonly GuardSite[])[] {
  const shared = sectionSites(view)
  return [
    ...llmModels(view).map(({ value, pointer }) => [
      ...shared,
      ...site(value.guardrails, child(pointer, 'guardrails')),
    ]),
    ...promptGuards(view).map((one) => [one]),
  ]
}

/** A policy that says something about language models, and where it stands. */
export interface AiPolicySite {
  readonly value: File.AiPolicy
  readonly pointer: string
}

/** All of them. */
export function aiPolicySites(view: View): readonly AiPolicySite[] {
  const holders: readonly { readonly policies: { ai?: File.AiPolicy }; readonly pointer: string }[] = [
    ...policyContainers(view),
    ...backendPlaces(view),
    ...aiProviders(view).map(({ value, pointer }) => ({
      policies: value.policies ?? {},
      pointer: child(pointer, 'policies'),
    })),
  ]
  return holders.flatMap(({ policies: { ai }, pointer }) =>
    ai === undefined ? [] : [{ value: ai, pointer: child(pointer, 'ai') }],
  )
}

function sectionSites({ file: { llm } }: View): readonly GuardSite[] {
  return [
    ...site(llm?.policies?.guardrails, '/llm/policies/guardrails'),
    ...site(llm?.guardrails, '/llm/guardrails'),
  ]
}

function promptGuards(view: View): readonly GuardSite[] {
  return aiPolicySites(view).flatMap(({ value, pointer }) =>
    site(value.promptGuard, child(pointer, 'promptGuard')),
  )
}

function site(value: File.LlmGuards | undefined, pointer: string): readonly GuardSite[] {
  return value === undefined ? [] : [{ value, pointer }]
}
