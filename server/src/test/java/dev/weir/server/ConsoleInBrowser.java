package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import io.netty.buffer.ByteBuf;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * The system's Chromium in front of the console of a node under load, for the tests that have the
 * tag "browser".
 */
abstract class ConsoleInBrowser {
  private static final long BUDGET_BYTES = 64 << 20;

  private static final Duration NEVER = Duration.ofDays(1);

  /** What has been live for longer and grows is suspected. */
  private static final Duration LEAK_AGE = Duration.ofSeconds(2);

  /** A profile that the page asks for. */
  static final Pattern FLAME = Pattern.compile("/flame(\\?.*)?$");

  /** A good half minute at ten views a second, and the rests. */
  private static final int MAX_VIEWS = 400;

  @TempDir Path directory;
  final List<String> complaints = new ArrayList<>();
  private final List<RawClient> readers = new ArrayList<>();
  private final List<ByteBuf> held = new ArrayList<>();
  NodeFixture fixture;
  private WeirAllocator allocator;
  ExampleService service;

  /** One for all tests of a class, each of which has pages of its own. */
  private static Playwright playwright;

  static Browser browser;

  @BeforeAll
  static void launch() {
    Path chromium = chromium();
    if (chromium == null) {
      System.err.println("skipped: no chromium on the PATH; install it (apt install chromium)");
    }
    assumeTrue(chromium != null, "skipped: no chromium");
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

  @AfterAll
  static void quit() {
    if (playwright != null) {
      playwright.close();
    }
  }

  @BeforeEach
  void start() throws Exception {
    NodeParts parts =
        new NodeParts(
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
    browser.contexts().forEach(BrowserContext::close);
    for (RawClient reader : readers) {
      reader.reset();
    }
    held.forEach(ByteBuf::release);
    service.close();
    fixture.assertNothingLeaked();
    fixture.close();
  }

  /** Buffers that are charged to a budget of that name, a new one, until the end. */
  void hold(String budget, int bytes) {
    Budget payer = allocator.pool().rootBudget().child(budget, Budget.UNLIMITED);
    held.add(allocator.charging(payer).directBuffer(bytes));
  }

  /** Clients that ask for a stream and do not read it: their connections hold buffers. */
  void askWithoutReading(int clients) throws Exception {
    fixture.send("PUT", "news", "text/plain", "");
    fixture.send("POST", "news", "text/plain", "n".repeat(4 << 20));
    for (int i = 0; i < clients; i++) {
      RawClient reader = new RawClient(fixture.node.address(), 4096);
      readers.add(reader);
      // Without a coding it would be sent the file.
      reader.send(
          "GET /v1/stream/news?offset=-1 HTTP/1.1\r\nHost: localhost\r\n"
              + "Accept-Encoding: identity\r\n\r\n");
    }
  }

  /** The console, once it shows what is live. */
  Page open(ColorScheme scheme, int width, int height) {
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
  void work(Page page, int views) throws IOException {
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
  void workUntilShown(Page page, Locator part, String text) throws IOException {
    for (int i = 0; i < MAX_VIEWS; i++) {
      if (part.textContent().contains(text)) {
        rest(page);
        if (part.textContent().contains(text)) {
          return;
        }
      }
      work(page, 1);
    }
    rest(page);
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
}
