import { Hono } from "hono";
import type { Env } from "./env.ts";

/** The composed service: every route of every room. */
export function createApp(): Hono<{ Bindings: Env }> {
  return new Hono<{ Bindings: Env }>();
}
