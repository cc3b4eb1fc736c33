FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY scripts/write-revision.cjs scripts/on-node.cjs scripts/bundle-programs.ts scripts/
COPY scripts/bundle scripts/bundle
# The commit, which `--version` tells: --build-arg AGENTGATEWAY_GIT_REVISION=$(git rev-parse HEAD)
ARG AGENTGATEWAY_GIT_REVISION=unknown
RUN npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

# What the programs need: they contain all packages but one, which has native code.
FROM gcr.io/distroless/nodejs24-debian12:nonroot AS programs
WORKDIR /app
COPY --from=dependencies /app/node_modules/@datadog/pprof node_modules/@datadog/pprof
COPY --from=dependencies /app/node_modules/node-gyp-build node_modules/node-gyp-build
COPY --from=build /app/dist/programs dist/programs
COPY --from=build /app/dist/revision dist/revision
COPY package.json LICENSE ./
COPY config config

# Compiled code for a quick start. It is made by the Node and the user of the image: others could not use it. Pods of the
# chart and of Gateways run as this user, too.
FROM gcr.io/distroless/nodejs24-debian12:nonroot AS compiled
WORKDIR /app
COPY --from=programs --chown=10101:10101 /app ./
COPY scripts/fill-compile-cache.cjs ./
USER 10101:10101
RUN ["/nodejs/bin/node", "fill-compile-cache.cjs"]

# Neither a shell nor a package manager; user 10101. Nothing below is written to, so the root file system may be read-only.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
WORKDIR /app
ENV NODE_ENV=production
COPY --from=programs /app ./
COPY --from=compiled --chown=10101:10101 /app/dist/compiled dist/compiled
USER 10101:10101
# Traffic, metrics, readiness. The admin server stays on loopback.
EXPOSE 3000 15020 15021
# Whether the event loop turns. Exec form, because there is no shell. Orchestrators with probes of their own ignore it.
HEALTHCHECK --interval=10s --timeout=6s CMD ["/nodejs/bin/node", "-e", "fetch('http://127.0.0.1:15021/healthz/live').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Exec form: node is process 1 and gets the SIGTERM itself.
ENTRYPOINT ["/nodejs/bin/node", "dist/programs/agentgateway.js"]
# A gateway of the bundled configuration; `controller` in its place is the control plane for Kubernetes.
CMD ["-f", "config/gateway.yaml"]
