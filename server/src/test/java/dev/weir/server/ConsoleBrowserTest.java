package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.store.LocalDisk;
import io.netty.buffer.ByteBuf;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The console in the system's Chromium, against a node under load. Runs with the profile "browser".
 */
@Tag("browser")
class ConsoleBrowserTest {
  private static final long BUDGET_BYTES = 64 << 20;

  /** Where the screenshots go. */
  private static final Path PICTURES = Path.of(System.getProperty("weir.pictures", "target"));

  private static final Duration NEVER = Duration.ofDays(1);

  /** What has been live for longer and grows is suspected. */
  private static final Duration LEAK_AGE = Duration.ofSeconds(2);

  /** A profile that the page asks for. */
  private static final Pattern FLAME = Pattern.compile("/flame(\\?.*)?$");

  /** At ten views a second, and 64 KiB each. */
  private static final int MAX_LEAK_VIEWS = 150;

  /** A good half minute at ten views a second. */
  private static final int MAX_VIEWS = 400;

  @TempDir Path directory;
  private final List<String> complaints = new ArrayList<>();
  private final List<RawClient> readers = new ArrayList<>();
  private final List<ByteBuf> held = new ArrayList<>();
  private NodeFixture fixture;
  private WeirAllocator allocator;
  private ExampleService service;
  private Playwright playwright;
  private Browser browser;

  @BeforeEach
  void start() throws Exception {
    Path chromium = chromium();
    if (chromium == null) {
      System.err.println("skipped: no chromium on the PATH; install it (apt install chromium)");
    }
    assumeTrue(chromium != null, "skipped: no chromium");
    Node.Parts parts =
        new Node.Parts(
                new LocalDisk(),
                Transport.best(),
                new HttpLimits(96, 1 << 30, BUDGET_BYTES / 4, NEVER, NEVER, NEVER, NEVER, NEVER),
                real -> {
                  allocator = (WeirAllocator) real.allocator();
                  service = new ExampleService(allocator, 1);
                  return real;
                })
            .with(
                new Node.ConsoleSettings(
                    ConsoleAccess.LOOPBACK, Duration.ofMillis(100), 16 << 10, LEAK_AGE));
    fixture = new NodeFixture(directory, BUDGET_BYTES, parts);
    PlaywrightAssertions.setDefaultAssertionTimeout(RawClient.PATIENCE.toMillis());
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(chromium)
                    .setArgs(List.of("--no-sandbox")));
  }

  private static Path chromium() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .flatMap(folder ->
            Stream.of("chromium", "chromium-browser", "google-chrome")
                .map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  @AfterEach
  void stop() throws Exception {
    if (playwright != null) {
      playwright.close();
      for (RawClient reader : readers) {
        reader.reset();
      }
      held.forEach(ByteBuf::release);
      service.close();
      fixture.assertNothingLeaked();
      fixture.close();
    }
  }

  /** Clients that ask for a stream and do not read it: their connections hold buffers. */
  private void askWithoutReading(int clients) throws Exception {
    fixture.send("PUT", "news", "text/plain", "");
    fixture.send("POST", "news", "text/plain", "n".repeat(4 << 20));
    for (int i = 0; i < clients; i++) {
      RawClient reader = new RawClient(fixture.node.address(), 4096);
      readers.add(reader);
      reader.send("GET /v1/stream/news?offset=-1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
  }

  private Page open(ColorScheme scheme, int width, int height) {
    BrowserContext context =
        browser.newContext(
            new Browser.NewContextOptions().setColorScheme(scheme).setViewportSize(width, height));
    Page page = context.newPage();
    page.onConsoleMessage(message -> {
      if (message.type().equals("error")) {
        complaints.add(message.text());
      }
    });
    page.onPageError(complaints::add);
    page.navigate(fixture.uri("/_weir/").toString());
    PlaywrightAssertions.assertThat(page.locator("#status")).hasText("live");
    return page;
  }

  /** Lets views go by while the load changes. */
  private void work(Page page, int views) throws IOException {
    Locator note = page.locator("#history-note");
    Random random = new Random(1);
    for (int view = 0; view < views; view++) {
      String before = note.textContent();
      service.work(100 + random.nextInt(200));
      NodeFixture.await("another view", () -> !note.textContent().equals(before));
    }
  }

  /**
   * Works until a part of the console shows some code, and goes on to show it while nothing is
   * done. Which blocks are sampled is chance, and samples are rarer where they take a thread too
   * long.
   */
  private void workUntilShown(Page page, Locator part, String text) throws IOException {
    for (int i = 0; i < MAX_VIEWS; i++) {
      if (part.textContent().contains(text)) {
        rest(page);
        if (part.textContent().contains(text)) {
          return;
        }
      }
      work(page, 1);
    }
    assertThat(part.textContent())
        .as("what the page shows; the node's own profile is:%n%s", collapsedProfile())
        .contains(text);
  }

  /**
   * Until the page shows what is live now: the first profile may have been asked for before, the
   * second is a second old at most, and the third is asked for when the second is shown.
   */
  private static void rest(Page page) {
    for (int i = 0; i < 3; i++) {
      page.waitForResponse(FLAME, () -> {});
    }
  }

  /** Each stack that samples of live blocks have, with its bytes. */
  private String collapsedProfile() throws IOException {
    try (RawClient client = fixture.raw()) {
      client.send("GET /_weir/profile.collapsed HTTP/1.1\r\nHost: localhost\r\n\r\n");
      return client.receive().body();
    }
  }

  private static void picture(Page page, String name) {
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve(name)));
  }

  @Test
  void thePageMapFollowsTheMemory() throws Exception {
    Page page = open(ColorScheme.LIGHT, 1180, 1400);
    Locator map = page.locator("canvas.map").first();
    service.work(1000);
    work(page, 5);
    byte[] drawn = map.screenshot();
    service.work(1000);
    NodeFixture.await("another map", () -> !Arrays.equals(drawn, map.screenshot()));
    assertThat(page.locator("#gauge").getAttribute("aria-label")).contains("resident of 64.0 MiB");
    assertThat(page.locator("#classes tbody tr").count()).isGreaterThan(10);
    assertThat(complaints).isEmpty();
  }

  @Test
  void aBudgetLeadsToTheCodeThatHoldsIt() throws Exception {
    Page page = open(ColorScheme.LIGHT, 1180, 900);
    work(page, 20);
    Locator name = page.locator("#budget-name");
    Locator facts = page.locator("#budget-facts");
    Locator code = page.locator("#flame");
    PlaywrightAssertions.assertThat(name).hasText("node");
    PlaywrightAssertions.assertThat(facts).containsText("charged to nobody");
    workUntilShown(page, code, "ReplyCache.serve");

    page.locator("#icicle button[data-path='imports']").click();
    PlaywrightAssertions.assertThat(name).hasText("node/imports");
    PlaywrightAssertions.assertThat(facts).containsText("24.0 MiB");
    PlaywrightAssertions.assertThat(facts)
        .containsText(
            Pattern.compile("asked forabout .*roundingabout .*samples behind these[0-9,]+"));
    PlaywrightAssertions.assertThat(page.locator("#flame-budget")).hasText("node/imports");
    PlaywrightAssertions.assertThat(code).not().containsText("ReplyCache.serve");
    page.locator("#icicle button[data-path='imports/tenant 1']").click();
    // Until then it shows the other tenants' too.
    PlaywrightAssertions.assertThat(code).containsText("node/imports/tenant 1");
    workUntilShown(page, code, "readBody:");
    Locator place = code.locator("button", new Locator.LocatorOptions().setHasText("readBody:"));
    PlaywrightAssertions.assertThat(place).isVisible();
    assertThat(page.locator("#pprof").getAttribute("href"))
        .isEqualTo("profile.pb.gz?budget=node%2Fimports%2Ftenant+1");

    place.click();
    PlaywrightAssertions.assertThat(page.locator("#flame-note"))
        .containsText("dev.weir.server.ExampleService$Imports.readBody(ExampleService.java:");
    page.keyboard().press("ArrowUp");
    assertThat(page.evaluate("document.activeElement.textContent").toString())
        .contains("Imports.serve");
    page.keyboard().press("Escape");
    page.locator("#icicle button").first().press("Enter");
    PlaywrightAssertions.assertThat(name).hasText("node");
    assertThat(complaints).isEmpty();
  }

  @Test
  void theCodeStaysFreshWhenTheClockIsSetBack() throws Exception {
    Page page = open(ColorScheme.LIGHT, 1180, 900);
    work(page, 1);
    page.evaluate("Date.now = () => 0");
    workUntilShown(page, page.locator("#flame"), "ReplyCache.serve");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aProfileThatNeverComesIsAskedForAgain() throws Exception {
    Page page = open(ColorScheme.LIGHT, 1180, 900);
    AtomicInteger asked = new AtomicInteger();
    page.route(
        FLAME,
        route -> {
          if (asked.incrementAndGet() > 1) {
            route.resume();
          }
        });
    workUntilShown(page, page.locator("#flame"), "ReplyCache.serve");
    assertThat(asked).hasValueGreaterThan(1);
    assertThat(complaints).isEmpty();
  }

  @Test
  void budgetsOfOneNameAreBarsOfTheirOwn() throws Exception {
    hold("twin", 4 << 20);
    hold("twin", 3 << 20);
    hold("itself", 2 << 20);
    hold("a/b", 5 << 20);
    Page page = open(ColorScheme.LIGHT, 1180, 900);
    Locator facts = page.locator("#budget-facts");
    Locator twins = page.locator("#icicle button[data-path='twin']");
    PlaywrightAssertions.assertThat(twins).hasCount(2);
    for (String bytes : List.of("3.0 MiB", "4.0 MiB")) {
      twins.filter(new Locator.FilterOptions().setHasText(bytes)).click();
      PlaywrightAssertions.assertThat(facts).containsText("charged" + bytes);
      page.keyboard().press("Escape");
    }
    page.locator("#icicle button[data-path='itself']").click();
    PlaywrightAssertions.assertThat(facts).containsText("charged2.0 MiB");
    page.keyboard().press("Escape");
    page.locator("#icicle button[data-path='a/b']").click();
    PlaywrightAssertions.assertThat(page.locator("#flame-note")).containsText("of 5.0 MiB");
    assertThat(page.locator("#pprof").getAttribute("href"))
        .isEqualTo("profile.pb.gz?budget=node%2Fa%252Fb");
    assertThat(complaints).isEmpty();
  }

  private void hold(String budget, int bytes) {
    Budget payer = allocator.pool().rootBudget().child(budget, Budget.UNLIMITED);
    held.add(allocator.charging(payer).directBuffer(bytes));
  }

  /** Two lines of one method, each with a chain of calls to the same method below. */
  @Test
  void callsThatAreShownAsOneStayWithTheirCallers() {
    Page page = browser.newPage();
    page.onPageError(complaints::add);
    page.route(
        FLAME,
        route ->
            route.fulfill(
                new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody(
                        node(
                            "node",
                            300,
                            node(
                                "own.Service.serve(Service.java:1)",
                                300,
                                chain(348, 200, "own.Left.take(Left.java:1)"),
                                chain(354, 100, "own.Right.take(Right.java:1)"))))));
    page.navigate(fixture.uri("/_weir/").toString());
    Locator code = page.locator("#flame");
    Locator calls = code.locator("button", new Locator.LocatorOptions().setHasText("2 calls to"));
    PlaywrightAssertions.assertThat(calls).hasCount(2);
    for (int i = 0; i < 2; i++) {
      Locator callee =
          code.locator(
              "button", new Locator.LocatorOptions().setHasText(i == 0 ? "Left" : "Right"));
      assertThat(calls.nth(i).boundingBox().x).isEqualTo(callee.boundingBox().x);
    }

    calls.nth(1).click();
    PlaywrightAssertions.assertThat(page.locator("#flame-note"))
        .containsText("invokeChannelRead(Context.java:354)");
    PlaywrightAssertions.assertThat(page.locator("#flame-note")).containsText("about 100 B");
    PlaywrightAssertions.assertThat(code).containsText("Right.take");
    PlaywrightAssertions.assertThat(code).not().containsText("Left.take");
    assertThat(complaints).isEmpty();
  }

  private static String chain(int line, int bytes, String callee) {
    return node(
        "io.netty.channel.Context.invokeChannelRead(Context.java:" + line + ")",
        bytes,
        node("io.netty.channel.X.channelRead(X.java:7)", bytes, node(callee, bytes)));
  }

  private static String node(String name, int bytes, String... children) {
    return "{\"name\":\"%s\",\"bytes\":%d,\"children\":[%s]}"
        .formatted(name, bytes, String.join(",", children));
  }

  /** What came while it was paused is there when it goes on, at its time. */
  @Test
  void aPauseIsNoHoleInTheHistory() throws Exception {
    Page page = open(ColorScheme.LIGHT, 1180, 1400);
    page.locator("#pause").click();
    PlaywrightAssertions.assertThat(page.locator("#status")).hasText("paused");
    String before = page.locator("#history-note").textContent();
    long pausedMillis = nodeMillis(page);
    NodeFixture.await("samples", () -> nodeMillis(page) - pausedMillis > 5_000);
    assertThat(page.locator("#history-note").textContent()).isEqualTo(before);
    page.locator("#pause").click();
    assertThat(historySeconds(page.locator("#history-note").textContent()))
        .isGreaterThanOrEqualTo(historySeconds(before) + 4);
    assertThat(complaints).isEmpty();
  }

  private static double historySeconds(String note) {
    Matcher span = Pattern.compile("Last ([0-9.]+) s:.*").matcher(note);
    assertThat(span.matches()).as(note).isTrue();
    return Double.parseDouble(span.group(1));
  }

  /** Asked for by the page: it has what the node sent it before that. */
  private static long nodeMillis(Page page) {
    Object millis =
        page.evaluate(
            "fetch('snapshot').then(answer => answer.json()).then(view => view.timeMillis)");
    return ((Number) millis).longValue();
  }

  @Test
  void anEmptyHistoryCanBePointedAt() {
    Page page = browser.newPage();
    page.onPageError(complaints::add);
    page.route("**/events", Route::abort);
    page.navigate(fixture.uri("/_weir/").toString());
    page.locator("#history").hover();
    page.locator("h1").hover();
    assertThat(page.locator("#history .mark").getAttribute("d")).isNull();
    assertThat(complaints).isEmpty();
  }

  @Test
  void aLeakIsNamedAndItsStackOpens() throws Exception {
    askWithoutReading(8);
    for (int i = 0; i < 10; i++) {
      service.work(1000);
    }
    Page page = open(ColorScheme.LIGHT, 1180, 1700);
    Locator suspect =
        page.locator("#suspects details", new Page.LocatorOptions().setHasText("AuditLog.append"));
    work(page, 40);
    for (int i = 0; suspect.count() == 0 && i < MAX_LEAK_VIEWS; i++) {
      service.leak(4);
      work(page, 1);
    }
    PlaywrightAssertions.assertThat(suspect.locator("summary"))
        .containsText(Pattern.compile("ExampleService.java:[0-9]+.*grows.*/s.*budget node/audit"));
    suspect.locator("summary").focus();
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(suspect.locator("ol"))
        .containsText("ExampleService.lambda$leak");
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(suspect.locator("ol")).isHidden();
    workUntilShown(page, page.locator("#oldest"), "Imports.readBody");
    PlaywrightAssertions.assertThat(page.locator("#channels-note")).containsText("that hold most");
    PlaywrightAssertions.assertThat(page.locator("#channels")).containsText("127.0.0.1:");
    page.locator("h1").click();
    picture(page, "console.png");
    assertThat(complaints).isEmpty();
  }

  @Test
  void theMapCanBeReadWithTheKeyboard() {
    service.work(1000);
    Page page = open(ColorScheme.LIGHT, 1280, 900);
    Locator map = page.locator("canvas.map").first();
    map.focus();
    map.press("ArrowRight");
    map.press("ArrowRight");
    Locator region = page.locator("#regions > div").first();
    PlaywrightAssertions.assertThat(region.locator("p")).containsText("blocks take");
    map.press("Enter");
    PlaywrightAssertions.assertThat(region.locator("button")).isVisible();
    map.press("Escape");
    PlaywrightAssertions.assertThat(region.locator("button")).isHidden();
    assertThat(complaints).isEmpty();
  }

  @Test
  void theHistoryAndTheBudgetsCanBeReadWithTheKeyboard() throws Exception {
    Page page = open(ColorScheme.DARK, 1280, 900);
    work(page, 5);
    Locator history = page.locator("#history");
    history.focus();
    history.press("ArrowLeft");
    PlaywrightAssertions.assertThat(page.locator("#history-note"))
        .containsText(Pattern.compile("ago: resident .*, live .*, limit 64.0 MiB"));
    history.press("Escape");
    PlaywrightAssertions.assertThat(page.locator("#history-note")).containsText("at most");
    assertThat(page.locator("#history .axis text").allTextContents()).contains("now", "0 B");

    page.locator("#icicle button[tabindex='0']").focus();
    page.keyboard().press("ArrowDown");
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator("#budget-name"))
        .hasText(Pattern.compile("node/[a-z]+"));
    work(page, 3);
    assertThat(page.evaluate("document.activeElement.dataset.path").toString())
        .as("what has the focus keeps it")
        .isNotEmpty();
    page.keyboard().press("Escape");
    PlaywrightAssertions.assertThat(page.locator("#budget-name")).hasText("node");
    assertThat(complaints).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"DARK, 390", "LIGHT, 390", "DARK, 1180", "LIGHT, 720"})
  void everyWidthAndColourShowsAllOfIt(ColorScheme scheme, int width) throws Exception {
    askWithoutReading(3);
    Page page = open(scheme, width, 844);
    work(page, 20);
    workUntilShown(page, page.locator("#flame"), "ReplyCache.serve");
    for (String id :
        List.of(
            "gauge",
            "waste",
            "suspects-section",
            "icicle",
            "flame",
            "regions",
            "oldest",
            "channels",
            "classes",
            "heaps")) {
      Locator part = page.locator("#" + id);
      part.scrollIntoViewIfNeeded();
      assertThat(part.boundingBox().x).as(id).isNotNegative();
    }
    assertThat(page.evaluate("document.documentElement.scrollWidth"))
        .as("no scrolling sideways")
        .isEqualTo(width);
    page.locator("#budgets-title").scrollIntoViewIfNeeded();
    page.evaluate("document.getElementById('budgets-title').scrollIntoView()");
    if (scheme == ColorScheme.DARK && width == 390) {
      picture(page, "console-phone.png");
    }
    page.screenshot(
        new Page.ScreenshotOptions()
            .setFullPage(true)
            .setPath(Path.of("target", "console-%s-%d.png".formatted(scheme, width))));
    assertThat(complaints).isEmpty();
  }
}
