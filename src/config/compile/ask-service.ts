import type { PolicyBackend } from '../../model/policy-backend.ts'
import { Fault } from '../../model/fault.ts'
import { editHeaders } from '../../operators/edit-headers.ts'
import type { Ask } from '../../upstream/ask.ts'
import { mergeBackendPolicies } from '../merge-policies.ts'
import { ownPolicies } from './backend.ts'
import type { Workshop } from './workshop.ts'

/** Makes the way to ask the service of a policy over HTTP, with the policies that hold for it. */
export const askService = ({ backend, policies }: PolicyBackend, workshop: Workshop): Ask => {
  const merged = mergeBackendPolicies(
    backend.kind === 'host' ? {} : ownPolicies(backend, workshop.resources),
    policies,
  )
  const ask = workshop.session.ask(backend, merged)
  if (!ask) return () => Promise.reject(missing())
  if (!merged.requestHeaderModifier) return ask
  const edit = editHeaders(merged.requestHeaderModifier)
  return (question) => {
    const headers = question.headers.clone()
    edit(headers)
    return ask({ ...question, headers })
  }
}

const missing = (): Fault => new Fault('backend_missing', 'backend does not exist', { status: 500 })
