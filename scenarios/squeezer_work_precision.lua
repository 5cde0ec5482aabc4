-- Andrews' squeezing mechanism (parts/squeezer.lua): what precision costs, for methods with fixed
-- steps and for methods that choose their own.
--
-- Errors are those of the end, t = 0.03 s, in the mixed norm of the test set for initial value problems
-- of the University of Bari; the column of positions has its mescd, mixed error significant correct
-- digits, -log10 of the largest |q - reference| / (1 + |reference|). The reference was computed in
-- quadruple precision, by extrapolation of order 24, with 600 and 1200 steps that agree in 26 digits.
-- The values of the test set (PSIDE, tolerances 1e-14) agree with it to 1e-10 in the positions, and to
-- 1e-7 in the multipliers.

local vida = require "vida"
local precision = require "parts.precision"
local squeezer = require "parts.squeezer"

local time = 0.03 -- s
local finest = vida.setting { "finest", 7, text = "digits of the finest tolerance, and of the work" }

local reference = {
  t = time,
  positions = {
    beta = 15.810771195153707097, theta = -15.756371058411839470, gamma = 0.040822240119645804859,
    phi = -0.53473011634207959377, delta = 0.52440996587995406937, omega = 0.53473011634207959377,
    epsilon = 1.0480807410419378731,
  },
  velocities = {
    beta = 1139.9203022591060642, theta = -1424.3792951775400731, gamma = 11.032911910618593745,
    phi = 19.293374105032040832, delta = 0.57356991482950245382, omega = -19.293374105032040832,
    epsilon = 0.32317914924913087499,
  },
  multipliers = {
    199.17534810453862819, -29.755309974971763324, 23.066543611622151129, 31.452725275771137075,
    22.642494786394378578, 11.617392352611255907,
  },
}

-- With 3 to `finest` digits, where methods of an order get about as far.
local runs = precision(time, finest)
runs:steps(100, 3, { { "del-midpoint" }, { "rattle" }, { "generalized-alpha" }, { "hht" },
  { "generalized-alpha", projection = "velocity" } })
runs:steps(100, 6, { { "spark-lobatto" } })
runs:steps(30, 5, { { "radau" } })
runs:tolerances { { "radau" }, { "ida-ggl" }, { "ida-index2" },
  { "post-stabilized", variant = "s-both2" }, { "coordinate-projection" }, { "half-explicit" },
  { "half-explicit", scheme = "phem56" }, { "cvode-projected" } }

return vida.work_precision {
  system = squeezer(0.033),
  time = time,
  norm = "mixed",
  reference = { states = { reference }, name = "quadruple precision", error = 1e-15 },
  methods = runs.methods,
}
