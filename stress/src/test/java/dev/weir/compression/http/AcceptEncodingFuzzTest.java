package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.compression.ContentCoding;
import dev.weir.stress.Mutations;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Whatever a client sends is understood as a plain reading of the grammar does. */
class AcceptEncodingFuzzTest {
  private static final Pattern ELEMENT =
      Pattern.compile(
          "[ \\t]*([^;,]*?)[ \\t]*(?:;[ \\t]*[qQ]=(0(?:\\.[0-9]{0,3})?|1(?:\\.0{0,3})?)[ \\t]*)?");

  @FuzzTest
  void fuzz(byte[] input) {
    String value = new String(input, StandardCharsets.ISO_8859_1);
    Map<String, Integer> plain = plain(value);
    AcceptEncoding accepted = AcceptEncoding.parse(List.of(value));
    int any = plain.getOrDefault("*", 0);
    for (ContentCoding coding : ContentCoding.values()) {
      assertThat(accepted.weightOf(coding))
          .as("%s", coding)
          .isEqualTo(plain.getOrDefault(coding.token(), any));
    }
    assertThat(accepted.acceptsIdentity())
        .isEqualTo(plain.getOrDefault("identity", plain.getOrDefault("*", 1)) > 0);
    ContentCoding chosen = accepted.choose(List.of(ContentCoding.values()));
    int best = chosen == null ? 0 : accepted.weightOf(chosen);
    for (ContentCoding coding : ContentCoding.values()) {
      assertThat(accepted.weightOf(coding))
          .isLessThanOrEqualTo(Math.max(best, plain.getOrDefault("identity", 0)));
    }
  }

  private static Map<String, Integer> plain(String value) {
    Map<String, Integer> weights = new HashMap<>();
    for (String element : value.split(",", -1)) {
      Matcher matcher = ELEMENT.matcher(element);
      if (matcher.matches()) {
        String token = matcher.group(1).toLowerCase(Locale.ROOT);
        String weight = matcher.group(2);
        int thousandths =
            weight == null
                ? 1000
                : new BigDecimal(weight.endsWith(".") ? weight + "0" : weight)
                    .movePointRight(3)
                    .intValue();
        weights.merge(token.equals("x-gzip") ? "gzip" : token, thousandths, Math::max);
      }
    }
    return weights;
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
