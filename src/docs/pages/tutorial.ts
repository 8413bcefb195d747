/** The tutorial: from an empty machine to a factor with its test, on the sample days of `npm start`. */
import { code, heading, note, type PageText, text } from "../block.ts";

export const zh: PageText = {
  title: "教程：从零到因子",
  lead: "用示例数据，约二十分钟，从空目录做到一个因子和它的检验：开盘半小时委托失衡，对当天随后涨跌的预测。",
  blocks: [
    heading("service", "一、示例服务"),
    text(
      "需要 Node 20 以上和 Python 3.9 以上。在仓库目录运行下面的命令，它在本机启动整个服务，附带几天编造的委托、成交与快照。已有密钥和地址的，可跳过本节，直接设置两个环境变量。",
    ),
    code("tutorial_demo"),
    text("另开一个终端，在同一目录下："),
    code("tutorial_setup"),
    heading("choose", "二、选股票，先看用量"),
    text(
      "取最近十天里委托最多的十二只证券。`data_symbols` 不计额度；`plan()` 也不计，它先说明要读多少行、发多少请求、额度够不够。",
    ),
    code("tutorial_choose"),
    heading("read", "三、读成一张表"),
    text(
      "`to_df()` 按日、按证券、按时间读完全部委托：自动翻页、排队、等待；中断后再调用一次即可续读。`time` 是带日期的北京时间，`symbol` 始终是字符串。",
    ),
    code("tutorial_read"),
    heading("clean", "四、只留新委托"),
    text(
      "上海的撤单（`D`）和阶段标志（`S`）与新委托（`A`）在同一张表里，深圳只有新委托（`0` 限价、`1` 市价、`U` 本方最优）。差异见[一天有哪些数据](/docs/zh/day)。",
    ),
    code("tutorial_clean"),
    heading("factor", "五、因子"),
    text("开盘半小时买单数量减卖单数量，除以两者之和：−1 表示全是卖单，+1 表示全是买单。"),
    code("tutorial_factor"),
    heading("return", "六、随后的涨跌"),
    text(
      "10:00 起五分钟与收盘集合竞价前七分钟的成交均价之比，均价为金额除以数量。`trades` 与 `orders` 用法相同；深圳的撤单在成交里，先去掉。因子在 10:00 之前就已知道，没有用到未来数据。",
    ),
    code("tutorial_return"),
    heading("test", "七、检验"),
    text("每天把两列各自排名，再求相关系数，即 rank IC。"),
    code("tutorial_test"),
    note("示例数据是编造的，这里的数没有含义，而且只有三天。真实检验需要几百个交易日和全部证券。"),
    heading("cost", "八、成本"),
    text("10:00 前一分钟的买一、卖一给出价差；买卖一次约付一个价差，因子的收益要大于它。"),
    code("tutorial_cost"),
    heading("go-on", "九、放到每天"),
    text(
      "结果存成文件。每晚先用 `wait_until_ready()` 等当日数据，再用 `changes()` 找出被重建的日期，只重算这些天。",
    ),
    code("tutorial_keep"),
    text(
      "上百只证券、整年的数据不要逐页读：用 `client.history()` 或整日数据包，见[分页、Parquet 还是整日包](/docs/zh/choosing)。",
    ),
  ],
};

export const en: PageText = {
  title: "Tutorial: from zero to a factor",
  lead: "On sample data, in about twenty minutes, from an empty folder to a factor and its test: does the imbalance of the opening's orders predict how the price moves later that day?",
  blocks: [
    heading("service", "1. A service with sample days"),
    text(
      "You need Node 20 and Python 3.9, or newer. Run this in the repository's folder: it starts the whole service on your machine, with some days of invented orders, trades and quotes. With a key and an address of your own, skip this section and set the two variables.",
    ),
    code("tutorial_demo"),
    text("In a second terminal, in the same folder:"),
    code("tutorial_setup"),
    heading("choose", "2. Choose securities and see the cost"),
    text(
      "The twelve securities with the most orders, over the last ten days. `data_symbols` is not counted, and neither is `plan()`: it says how many rows and requests there are, and whether the quota suffices.",
    ),
    code("tutorial_choose"),
    heading("read", "3. Read one frame"),
    text(
      "`to_df()` reads all orders by day, then security, then time. It turns pages, queues and waits; after an interruption the same call continues. `time` is the time in Beijing with its date, and `symbol` is always a string.",
    ),
    code("tutorial_read"),
    heading("clean", "4. Keep new orders only"),
    text(
      "Shanghai has cancels (`D`) and phases (`S`) in the same table as new orders (`A`). Shenzhen has new orders only (`0` limit, `1` market, `U` best own side). [What a day consists of](/docs/en/day) has the differences.",
    ),
    code("tutorial_clean"),
    heading("factor", "5. The factor"),
    text(
      "The volume to buy minus the volume to sell in the first half hour, divided by their sum: −1 is all sells, +1 is all buys.",
    ),
    code("tutorial_factor"),
    heading("return", "6. What the price did later"),
    text(
      "The average traded price, amount over volume: five minutes from 10:00 against the seven minutes before the closing auction. `trades` takes what `orders` takes. Shenzhen's cancels are among the trades and are left out. The factor is known before 10:00, so nothing of the future is in it.",
    ),
    code("tutorial_return"),
    heading("test", "7. The test"),
    text("Rank both columns within each day and correlate the ranks: the rank IC."),
    code("tutorial_test"),
    note(
      "The sample data is invented, so the number means nothing, and there are three days of it. A real test takes hundreds of days and every security.",
    ),
    heading("cost", "8. The cost"),
    text(
      "The best bid and ask of the minute before 10:00 give the spread. Buying and selling once costs about one spread, and the factor must earn more.",
    ),
    code("tutorial_cost"),
    heading("go-on", "9. Run it every day"),
    text(
      "Keep the result. Each evening, `wait_until_ready()` waits for the day, and `changes()` lists days that were rebuilt: compute only those again.",
    ),
    code("tutorial_keep"),
    text(
      "For hundreds of securities or whole years, do not read pages: use `client.history()` or the pack of the day, see [pages, Parquet or the pack](/docs/en/choosing).",
    ),
  ],
};
