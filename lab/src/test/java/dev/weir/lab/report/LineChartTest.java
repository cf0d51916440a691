package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.LineChart.Point;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

class LineChartTest {
  private static final long MIB = 1 << 20;

  @Test
  void drawsWithinItsFrameAndSaysWhatItShows() throws Exception {
    String svg =
        new LineChart("Rss & \"live\" <of> it", 430 * MIB)
            .band(0, 0.5, /* shaded= */ true, "100 B – 4 KiB")
            .area("live", List.of(new Point(0, 0), new Point(1, 215 * MIB)))
            .line("held", List.of(new Point(0, 500 * MIB), new Point(1, 250 * MIB)))
            .line("nothing", List.of())
            .render();

    Document image = parse(svg);
    assertThat(image.getDocumentElement().getAttribute("aria-label"))
        .isEqualTo("Rss & \"live\" <of> it");
    assertThat(image.getElementsByTagName("title").item(0).getTextContent())
        .isEqualTo("100 B – 4 KiB");
    assertThat(image.getElementsByTagName("path").getLength()).isEqualTo(2);
    assertThat(svg).contains(">0</text>").contains(">100</text>").contains(">500</text>");
    assertThat(svg).contains("<path class=\"held\" d=\"M46,8 L452,100\"/>");
    assertThat(svg).contains("<path class=\"live\" d=\"M46,192 L452,112.9L452,192 L46,192 Z\"/>");
  }

  @Test
  void nothingAtAllIsAnEmptyChart() throws Exception {
    assertThat(parse(new LineChart("none", 0).render()).getElementsByTagName("path").getLength())
        .isZero();
  }

  private static Document parse(String svg)
      throws ParserConfigurationException, IOException, SAXException {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }
}
