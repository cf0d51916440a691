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
import dev.weir.server.store.LocalDisk;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console in the system's Chromium, against a node under load. Runs with the profile "browser".
 */
@Tag("browser")
class ConsoleBrowserTest {
  private static final long BUDGET_BYTES = 64 << 20;

  /** Where the screenshots go. */
  private static final Path PICTURES = Path.of(System.getProperty("weir.pictures", "target"));

  @TempDir Path directory;
  private final List<ByteBuf> held = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();
  private NodeFixture fixture;
  private final List<ByteBufAllocator> payers = new ArrayList<>();
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
                HttpLimits.forBudget(BUDGET_BYTES),
                real -> {
                  divide((WeirAllocator) real.allocator());
                  return real;
                })
            .with(new Node.ConsoleSettings(ConsoleAccess.LOOPBACK, Duration.ofMillis(100)));
    fixture = new NodeFixture(directory, BUDGET_BYTES, parts);
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

  /** Budgets that the load is charged to in turn. */
  private void divide(WeirAllocator allocator) {
    Budget root = allocator.pool().rootBudget();
    Budget uploads = root.child("uploads", 24 << 20);
    for (int i = 1; i <= 5; i++) {
      payers.add(allocator.charging(uploads.child("channel " + i, 8 << 20)));
    }
    Budget replies = root.child("replies", 16 << 20);
    payers.add(allocator.charging(replies));
    payers.add(allocator.charging(replies.child("events", Budget.UNLIMITED)));
    payers.add(allocator.charging(root.child("sessions", 8 << 20)));
    payers.add(allocator);
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
    held.forEach(ByteBuf::release);
    if (playwright != null) {
      playwright.close();
      fixture.assertNothingLeaked();
      fixture.close();
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

  /** Buffers of many sizes, of which every fourth goes back: a map with something to see. */
  private void hold(Random random, int count) {
    for (int i = 0; i < count; i++) {
      ByteBufAllocator payer = payers.get(random.nextInt(payers.size()));
      int bytes = 1 << (6 + random.nextInt(random.nextInt(16) == 0 ? 13 : 8));
      held.add(payer.directBuffer(bytes + random.nextInt(bytes)));
    }
    for (int i = held.size() - 1; i >= 0; i -= 4) {
      held.remove(random.nextInt(i + 1)).release();
    }
  }

  /** Lets views go by while the load changes. */
  private void work(Page page, Random random, int views) throws IOException {
    Locator note = page.locator("#history-note");
    for (int view = 0; view < views; view++) {
      String before = note.textContent();
      hold(random, 100 + random.nextInt(900));
      NodeFixture.await("another view", () -> !note.textContent().equals(before));
    }
  }

  private static void picture(Page page, String name) {
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve(name)));
  }

  @Test
  void thePageMapFollowsTheMemory() throws Exception {
    Random random = new Random(1);
    Page page = open(ColorScheme.LIGHT, 1180, 1400);
    Locator map = page.locator("canvas.map").first();
    hold(random, 1000);
    work(page, random, 5);
    byte[] drawn = map.screenshot();
    hold(random, 1000);
    NodeFixture.await("another map", () -> !Arrays.equals(drawn, map.screenshot()));
    assertThat(page.locator("#gauge").getAttribute("aria-label")).contains("resident of 64.0 MiB");
    assertThat(page.locator("#classes tbody tr").count()).isGreaterThan(10);
    work(page, random, 30);
    picture(page, "console.png");
    assertThat(complaints).isEmpty();
  }

  @Test
  void aBudgetIsShownAloneAndLeadsBack() {
    hold(new Random(2), 1000);
    Page page = open(ColorScheme.LIGHT, 1180, 900);
    Locator note = page.locator("#budget-note");
    PlaywrightAssertions.assertThat(note).containsText("node: charged");
    page.locator("#icicle button[data-path='uploads']").click();
    PlaywrightAssertions.assertThat(note).containsText("of its limit, 24.0 MiB");
    PlaywrightAssertions.assertThat(page.locator("#icicle button[data-path='uploads/channel 1']"))
        .containsText("channel 1");
    page.locator("#icicle button").first().press("Enter");
    PlaywrightAssertions.assertThat(note).containsText("node: charged");
    assertThat(complaints).isEmpty();
  }

  @Test
  void theMapCanBeReadWithTheKeyboard() {
    hold(new Random(3), 1000);
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
  void aPhoneInTheDarkShowsAllOfIt() {
    hold(new Random(4), 1000);
    Page page = open(ColorScheme.DARK, 390, 844);
    for (String id : List.of("gauge", "waste", "regions", "icicle", "classes", "heaps")) {
      Locator part = page.locator("#" + id);
      part.scrollIntoViewIfNeeded();
      assertThat(part.boundingBox().x).as(id).isNotNegative();
    }
    picture(page, "console-phone.png");
    assertThat(complaints).isEmpty();
  }
}
