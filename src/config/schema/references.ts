import { either, exactlyOne, formatted, type Properties, record, ref, text, whole } from './builders.ts'

const serviceReference = record(
  'A port of a service in the section `services`.',
  {
    name: either(
      'The service, as `namespace/hostname` or in two fields.',
      formatted('serviceName', 'The service, as `namespace/hostname`.'),
      record(
        'The service.',
        {
          namespace: { ...text('Its namespace.', { minLength: 1 }), default: 'default' },
          hostname: text('Its host name.', { minLength: 1 }),
        },
        { required: ['hostname'] },
      ),
    ),
    port: whole('The port of the service.', 1, 65535),
  },
  { required: ['name', 'port'] },
)

/** The three ways to name a plain destination. */
export const simpleReference: Properties = {
  service: ref('ServiceReference'),
  host: formatted(
    'serviceHost',
    'A host and port, a unix socket as `unix:/path`, or an address without a path: `http://host` is port 80, `https://host` is port 443 and TLS with a certificate that is publicly trusted, unless `backendTLS` says otherwise.',
  ),
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
