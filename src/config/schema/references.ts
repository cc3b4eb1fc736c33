import { either, exactlyOne, formatted, record, ref, text, whole } from './kinds.ts'
import type { Properties } from './kinds.ts'

const serviceReference = record(
  'A port of a service in the section `services`.',
  {
    name: either(
      'The service, as `namespace/hostname` or in two fields.',
      formatted('serviceName', 'The service, as `namespace/hostname`.'),
      record(
        'The service.',
        {
          namespace: text('Its namespace.', { minLength: 1 }),
          hostname: text('Its host name.', { minLength: 1 }),
        },
        { required: ['namespace', 'hostname'] },
      ),
    ),
    port: whole('The port of the service.', 1, 65535),
  },
  { required: ['name', 'port'] },
)

/** The three ways to name a plain destination. */
export const simpleReference: Properties = {
  service: ref('ServiceReference'),
  host: formatted('staticTarget', 'A host and port, or a unix socket as `unix:/path`.'),
  backend: text('A backend in the section `backends`, by name or as `/name`.', { minLength: 1 }),
}

const backendReference = record(
  'A destination: exactly one of its kinds.',
  simpleReference,
  exactlyOne(...Object.keys(simpleReference)),
)

/** Definitions about references. */
export const referenceDefinitions: Properties = {
  ServiceReference: serviceReference,
  BackendReference: backendReference,
}
