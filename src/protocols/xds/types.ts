/** The type of the resources of a gateway in discovery. */
export const RESOURCE_TYPE = 'type.googleapis.com/agentgateway.dev.resource.Resource'

/** The path of the one method that the service has. */
export const DELTA_PATH = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources'

/** The path of the older method, which is not served. */
export const STREAM_PATH = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources'
