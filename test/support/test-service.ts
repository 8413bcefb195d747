import { afterAll } from "vitest";
import { type Service, type ServiceOptions, startService } from "./service.ts";

/** Starts the service and stops it after the tests of the calling file. */
export async function testService(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options);
  afterAll(() => service.stop());
  return service;
}
