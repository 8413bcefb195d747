/** Actors that may change the service, and the scopes of operators' tokens. */

/**
 * The kind of actor that made a change. A name alone is ambiguous, because operators choose the names of their tokens.
 * `bootstrap` is the bearer of the secret `ADMIN_TOKEN`, `operator` the bearer of a named token, `account` a customer
 * in the console, `service` the service itself, including its scheduled tasks.
 */
export const ACTOR_KINDS = ["bootstrap", "operator", "account", "service"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

export interface Actor {
  kind: ActorKind;
  /** The token's name, the account's id, `ADMIN_TOKEN` or `service`. */
  name: string;
}

/** The actor of a change that the service itself makes, such as marking a day damaged. */
export const SERVICE_ACTOR: Actor = { kind: "service", name: "service" };

/** The bearer of the secret `ADMIN_TOKEN`. */
export const FIRST_OPERATOR: Actor = { kind: "bootstrap", name: "ADMIN_TOKEN" };

/**
 * The scopes of a token. `read` can read everything except backups, but cannot change anything. `publish` can publish
 * days and files and read what this requires, but not customer data. `admin` can call every route.
 */
export const TOKEN_SCOPES = ["read", "publish", "admin"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** An operator identified by a token. */
export interface Operator {
  actor: Actor;
  scope: TokenScope;
}
