/** Modules that pages import as text. */
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "./browser/*.js" {
  const text: string;
  export default text;
}
declare module "uplot/dist/*.js" {
  const text: string;
  export default text;
}
