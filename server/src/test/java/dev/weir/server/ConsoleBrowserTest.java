package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The console in the system's Chromium. Runs with the profile "browser". */
@Tag("browser")
class ConsoleBrowserTest extends ConsoleInBrowser {
  /** Where the screenshots go. */
  private static final Path PICTURES = Path.of(System.getProperty("weir.pictures", "target"));

  /** At ten views a second, and 64 KiB each. */
  private static final int MAX_LEAK_VIEWS = 150;

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
  void aPartOfTheMapThatNeverComesIsAskedForAgain() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    service.work(1000);
    Page page = open(ColorScheme.LIGHT, 1280, 900);
    page.route(
        "**/pages?*",
        route -> {
          if (asked.incrementAndGet() > 1) {
            route.resume();
          }
        });
    Locator map = page.locator("canvas.map").first();
    map.focus();
    map.press("ArrowRight");
    map.press("Enter");
    PlaywrightAssertions.assertThat(page.locator("#regions > div").first().locator("button"))
        .isVisible();
    assertThat(complaints).isEmpty();
  }

  @Test
  void aNodeThatIsAwayIsMissedWhateverTheClockSays() {
    Page page = browser.newPage();
    page.addInitScript("Date.now = () => 0");
    page.route("**/events", Route::abort);
    page.navigate(fixture.uri("/_weir/").toString());
    PlaywrightAssertions.assertThat(page.locator("#status"))
        .hasText("no word from the node; trying again");
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
