/** What is used of the client of Kubernetes, by itself: it is loaded by commands that need a cluster. */
export {
  AppsV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PortForward,
} from '@kubernetes/client-node'
