package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report in the system's Chromium. Runs with the profile "browser". */
@Tag("browser")
class ReportBrowserTest {
  private final List<String> complaints = new ArrayList<>();

  @TempDir Path folder;

  @Test
  void theReportIsReadableOnAPhoneAndOnAWideScreen() throws Exception {
    Path chromium = chromium();
    if (chromium == null) {
      System.err.println("skipped: no chromium on the PATH; install it (apt install chromium)");
    }
    assumeTrue(chromium != null, "skipped: no chromium");
    LabReport.write(folder, LabReport.Head.now("weir lab", 2), LabReportTest.rows(), true);
    try (Playwright playwright =
        Playwright.create(
            new Playwright.CreateOptions()
                .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")))) {
      Browser browser =
          playwright
              .chromium()
              .launch(
                  new BrowserType.LaunchOptions()
                      .setExecutablePath(chromium)
                      .setArgs(List.of("--no-sandbox")));
      for (int width : new int[] {390, 1_400}) {
        look(browser.newPage(new Browser.NewPageOptions().setViewportSize(width, 900)), width);
      }
    }
    assertThat(complaints).isEmpty();
  }

  private void look(Page page, int width) {
    page.onConsoleMessage(message -> {
      if (message.type().equals("error")) {
        complaints.add(message.text());
      }
    });
    page.onPageError(complaints::add);
    page.navigate(folder.resolve("report.html").toUri().toString());
    assertThat(page.evaluate("document.documentElement.scrollWidth"))
        .as("no scrolling sideways at %d px", width)
        .isEqualTo(width);
    assertThat(page.locator("svg.chart").first().boundingBox().width).isGreaterThan(300);
    assertThat(page.locator("svg.chart path").count()).isGreaterThanOrEqualTo(2);
    assertThat(page.locator("table.goals tbody tr").count()).isEqualTo(2);
    page.locator("th button", new Page.LocatorOptions().setHasText("allocator")).click();
    assertThat(page.locator("table:not(.goals) tbody tr td:nth-child(2)").allTextContents())
        .containsExactly("netty", "weir");
    page.locator("th button", new Page.LocatorOptions().setHasText("allocator")).click();
    assertThat(page.locator("table:not(.goals) tbody tr td:nth-child(2)").allTextContents())
        .containsExactly("weir", "netty");
  }

  private static Path chromium() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .flatMap(in ->
            Stream.of("chromium", "chromium-browser", "google-chrome")
                .map(name -> Path.of(in, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }
}
