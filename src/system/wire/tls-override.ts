/**
 * Node reads NODE_TLS_REJECT_UNAUTHORIZED at each connection, and then says on stderr that the connection is insecure,
 * which ours are not: so the variable is taken away for that moment.
 *
 * @param env the environment itself, not a copy
 */
export function withoutTlsOverride<T>(
  env: { NODE_TLS_REJECT_UNAUTHORIZED?: string | undefined },
  start: () => T,
): T {
  const value = env.NODE_TLS_REJECT_UNAUTHORIZED;
  if (value === undefined) return start();
  delete env.NODE_TLS_REJECT_UNAUTHORIZED;
  try {
    return start();
  } finally {
    env.NODE_TLS_REJECT_UNAUTHORIZED = value;
  }
}
