package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The code that the console shows to hold memory, in the system's Chromium. Runs with the profile
 * "browser".
 */
@Tag("browser")
class ConsoleProfileBrowserTest extends ConsoleInBrowser {
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
    page.locator("#icicle button[data-path='imports/object 1']").click();
    // Until then it shows the other factory' too.
    PlaywrightAssertions.assertThat(code).containsText("node/imports/object 1");
    workUntilShown(page, code, "readBody:");
    Locator place = code.locator("button", new Locator.LocatorOptions().setHasText("readBody:"));
    PlaywrightAssertions.assertThat(place).isVisible();
    assertThat(page.locator("#pprof").getAttribute("href"))
        .isEqualTo("profile.pb.gz?budget=node%2Fimports%2Fobject+1");

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
    assertThat(complaints).isEmpty();
  }

  /**
   * Nothing gives the first answer up but the choice: there is no limit of time in this browser.
   */
  @Test
  void aChosenBudgetDoesNotWaitForTheAnswerBefore() throws Exception {
    Page page = browser.newPage();
    page.onPageError(complaints::add);
    page.addInitScript("AbortSignal.timeout = () => new AbortController().signal");
    page.route(
        FLAME,
        route -> {
          if (route.request().url().contains("budget=")) {
            route.resume();
          }
        });
    page.navigate(fixture.uri("/_weir/").toString());
    work(page, 1);
    page.locator("#icicle button[data-path='imports']").click();
    PlaywrightAssertions.assertThat(page.locator("#flame")).containsText("node/imports");
    assertThat(complaints).isEmpty();
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
}
