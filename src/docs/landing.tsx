/** The page at `/`: what the service is, a chart of a sample day, one request with its answer, links. */
import { assetOf } from "../pages/assets.ts";
import { countText } from "../pages/figures.ts";
import { documentOf, Frame } from "../pages/frame.tsx";
import type { Look, PageLanguage } from "../pages/look.ts";
import { byLanguage } from "../pages/texts.ts";
import type { ExampleFacts } from "./example-day.ts";
import landingStyle from "./landing.css" with { type: "text" };
import { STYLE as DOCS_STYLE } from "./layout.tsx";
import { CODE_MESSAGES, CodeView } from "./render.tsx";
import { BUYS, PRICES, SELLS } from "./sample-minutes.ts";

const STYLE = assetOf("landing", "css", landingStyle);

const MESSAGES = byLanguage({
  title: ["沪深逐笔委托、成交与快照，一个请求就到", "Every order and trade, one request away"],
  lead: [
    "某只证券某一天的每一笔委托、成交或每一个快照：按游标翻页的 JSON，或一个 Parquet 文件；整日数据包按年分享下载。",
    "All orders, trades or quotes of a security on a day, from the exchanges in Shanghai and Shenzhen: JSON pages by cursor, or one Parquet file. Whole days are shared as packs, a year at a time.",
  ],
  start: ["快速开始", "Quick start"],
  console: ["打开控制台", "Open the console"],
  chart: [
    "300750 的一个示例日（编造的数据）：每分钟买卖委托笔数与委托价格",
    "A sample day of 300750 (invented data): orders to buy and to sell in each minute, and their price",
  ],
  price: ["价格", "price"],
  buys: ["买单", "orders to buy"],
  sells: ["卖单", "orders to sell"],
  lunch: ["午休", "lunch"],
  chartText: (orders: string, low: string, high: string) => [
    `示例日共 ${orders} 笔委托，价格在 ${low} 至 ${high} 元之间，9:30 开盘的一分钟最多。`,
    `The sample day has ${orders} orders at prices from ${low} to ${high} yuan; the minute of the opening at 9:30 has the most.`,
  ],
  request: ["一个请求，一个答复", "One request, one answer"],
});

const LINKS = {
  zh: [
    ["tutorial", "教程", "从空目录到一个因子和它的检验"],
    ["day", "一天有哪些数据", "委托、成交、快照怎样对应，附可运行的例子"],
    ["fields", "字段", "每一列的含义、类型与单位，两个交易所的差异"],
    ["paging", "翻页", "不跳行、不重复，断线后从断点继续"],
    ["choosing", "怎么取", "分页、Parquet 还是整日包"],
    ["errors", "错误", "每个代码与原因，以及该怎么办"],
  ],
  en: [
    ["tutorial", "Tutorial", "from an empty folder to a factor and its test"],
    ["day", "A day's data", "how orders, trades and quotes join, with examples to run"],
    ["fields", "Fields", "what each column means, its type and unit, and where the exchanges differ"],
    ["paging", "Paging", "no row skipped or repeated, resumed after a broken connection"],
    ["choosing", "Which way", "pages, one Parquet file, or the pack of the day"],
    ["errors", "Errors", "every code and reason, and what to do about it"],
  ],
} as const;

/** Returns the page as HTML. The page shows a request with the values in `example`. */
export function landingPage(look: Look, example: ExampleFacts): string {
  const { language } = look;
  const messages = MESSAGES[language];
  const facts = { ...example, ...CODE_MESSAGES[language] };
  return documentOf(
    <Frame
      look={look}
      title="edgetape"
      styles={[DOCS_STYLE, STYLE]}
      head={<meta name="description" content={messages.lead} />}
    >
      <section class="hero">
        <h1>{messages.title}</h1>
        <p class="lead">{messages.lead}</p>
        <p class="actions">
          <a class="button primary" href={`/docs/${language}/quickstart`}>
            {messages.start}
          </a>
          <a class="button" href="/console/">
            {messages.console}
          </a>
        </p>
      </section>
      <DayChart language={language} />
      <section class="ask" aria-labelledby="ask">
        <h2 id="ask">{messages.request}</h2>
        <CodeView name="curl_page" facts={facts} />
      </section>
      <ul class="links">
        {LINKS[language].map(([slug, name, note]) => (
          <li>
            <a href={`/docs/${language}/${slug}`}>{name}</a>
            <span>{note}</span>
          </li>
        ))}
      </ul>
    </Frame>,
  );
}

/**
 * Dimensions of the chart: the width of a minute, the height of the price line at the top, the position at which all
 * bars begin, the maximum height of a bar, and the total height.
 */
const MINUTE = 4;
const PRICE_HEIGHT = 110;
const MIDDLE = 200;
const BAR_HEIGHT = 75;
const HEIGHT = 280;
/** The maximum number of orders that a bar shows. Only the bars of 09:30 are truncated. */
const MOST_SHOWN = 200;
/** The number of minutes on the chart before 11:30. The lunch break after it is left out. */
const NOON = 135;

/** Ticks of the time axis: the CSS class that positions each tick, and its text. */
const TICKS = { t0930: "09:30", t1030: "10:30", t1400: "14:00", t1500: "15:00" };

function DayChart({ language }: { language: PageLanguage }) {
  const messages = MESSAGES[language];
  const yuan = (fen: number) => (fen / 100).toFixed(2);
  const orders = [...BUYS, ...SELLS].reduce((sum, count) => sum + count, 0);
  const [low, high] = [Math.min(...PRICES), Math.max(...PRICES)];
  const said = messages.chartText(countText(orders), yuan(low), yuan(high));
  return (
    <figure class="day-chart">
      <figcaption>
        <span>{messages.chart}</span>
        <span class="keys">
          <span class="key price">{messages.price}</span>
          <span class="key buy">{messages.buys}</span>
          <span class="key sell">{messages.sells}</span>
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${PRICES.length * MINUTE} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={said}
      >
        <path class="lunch" d={`M${NOON * MINUTE} 0V${HEIGHT}`} />
        <path class="buy" d={bars(BUYS, -1)} />
        <path class="sell" d={bars(SELLS, 1)} />
        <path class="price" d={priceLine(low, high)} />
      </svg>
      <p class="ticks" aria-hidden="true">
        {Object.entries(TICKS).map(([place, time]) => (
          <span class={place}>{time}</span>
        ))}
        <span class="t1130">{messages.lunch}</span>
      </p>
    </figure>
  );
}

/** Returns bars upwards (`-1`) or downwards (`1`) as one path. */
function bars(counts: readonly number[], direction: 1 | -1): string {
  return counts
    .map((count, minute) => {
      const height = Math.round((BAR_HEIGHT * Math.min(count, MOST_SHOWN)) / MOST_SHOWN) * direction;
      return `M${minute * MINUTE} ${MIDDLE}v${height}h${MINUTE - 1}v${-height}z`;
    })
    .join("");
}

function priceLine(low: number, high: number): string {
  const y = (price: number) => Math.round(8 + ((PRICE_HEIGHT - 8) * (high - price)) / (high - low));
  return PRICES.map((price, minute) => `${minute === 0 ? "M" : "L"}${minute * MINUTE} ${y(price)}`).join("");
}
